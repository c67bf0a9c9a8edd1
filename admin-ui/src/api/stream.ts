// The event stream of this tab. Browsers allow six connections to a server over HTTP/1.1, and an event stream occupies
// one of them as long as it is open. Therefore every page subscribes here instead of opening a stream of its own.
//
//   connecting ──open──▶ live ──error, or silence──▶ polling ──reopened──▶ live
//
// While polling, subscribers get `resync` and request the data by REST. They also get `resync` when the stream is open
// again, and when the server reports with `reset` that it cannot replay the missed events.

export type StreamStatus = 'idle' | 'connecting' | 'live' | 'polling'

/** The part of EventSource in use. Tests pass their own implementation. */
export interface EventChannel {
  readyState: number
  onopen: ((event: Event) => void) | null
  onerror: ((event: Event) => void) | null
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void
  close(): void
}

export interface StreamClock {
  now(): number
  setTimeout(action: () => void, millis: number): number
  clearTimeout(id: number): void
}

export interface Subscription {
  topic: string
  /** A parsed event of this topic. */
  event(name: string, data: unknown): void
  /** Requests the data by REST: events may have been missed, or the stream is down. */
  resync(): void
}

/** Waiting times in milliseconds. */
export const timing = {
  /** Silence after which an open stream counts as broken. */
  silence: 20_000,
  /** Interval of polls while the stream is down. */
  poll: 5_000,
  /** Back-off before a closed stream is opened again: first value, doubled each time up to the second value. */
  reopen: [1_000, 30_000] as const,
  /** Subscriptions within this time share one opening of the stream. */
  settle: 20,
}

const CLOSED = 2
const EVENT_NAMES = ['services', 'point', 'transition', 'judgement', 'change', 'verification', 'order', 'alerts'] as const

export class LiveStream {
  status: StreamStatus = 'idle'
  /** Time of the last update, by stream or by poll; 0 before the first. */
  lastNews = 0

  private readonly subscriptions = new Set<Subscription>()
  private channel: EventChannel | null = null
  private openTopics = ''
  private failures = 0
  private missedSome = false
  private settleTimer: number | null = null
  private silenceTimer: number | null = null
  private pollTimer: number | null = null
  private reopenTimer: number | null = null

  constructor(
    private readonly open: (topics: string) => EventChannel,
    private readonly clock: StreamClock,
    private readonly changed: () => void = () => {},
  ) {}

  /** @returns a function that ends the subscription */
  subscribe(subscription: Subscription): () => void {
    this.subscriptions.add(subscription)
    this.reopenSoon()
    return () => {
      this.subscriptions.delete(subscription)
      this.reopenSoon()
    }
  }

  /** Records that a subscriber received new data by REST. */
  noteNews(): void {
    this.lastNews = this.clock.now()
    this.changed()
  }

  /** Closes the stream and clears all timers. Subscriptions stay. */
  stop(): void {
    this.closeChannel()
    for (const timer of [this.settleTimer, this.pollTimer, this.reopenTimer]) {
      if (timer !== null) this.clock.clearTimeout(timer)
    }
    this.settleTimer = this.pollTimer = this.reopenTimer = null
    this.openTopics = ''
    this.become('idle')
  }

  private topics(): string {
    return [...new Set([...this.subscriptions].map((each) => each.topic))].sort().join(',')
  }

  private reopenSoon(): void {
    this.settleTimer ??= this.clock.setTimeout(() => {
      this.settleTimer = null
      const topics = this.topics()
      if (topics === '') this.stop()
      else if (topics !== this.openTopics) this.openNow()
    }, timing.settle)
  }

  private openNow(): void {
    this.closeChannel()
    if (this.reopenTimer !== null) this.clock.clearTimeout(this.reopenTimer)
    this.reopenTimer = null
    this.openTopics = this.topics()
    if (this.openTopics === '') return
    if (this.status !== 'polling') this.become('connecting')
    const channel = this.open(this.openTopics)
    this.channel = channel
    channel.onopen = () => this.opened(channel)
    channel.onerror = () => this.failed(channel)
    for (const name of EVENT_NAMES) {
      channel.addEventListener(name, (event) => this.received(channel, name, event.data))
    }
    channel.addEventListener('reset', () => {
      if (channel === this.channel) this.resyncAll()
    })
    this.watchSilence()
  }

  private opened(channel: EventChannel): void {
    if (channel !== this.channel) return
    this.failures = 0
    if (this.pollTimer !== null) this.clock.clearTimeout(this.pollTimer)
    this.pollTimer = null
    this.become('live')
    if (this.missedSome) {
      this.missedSome = false
      this.resyncAll()
    }
    this.watchSilence()
  }

  private received(channel: EventChannel, name: string, text: string): void {
    if (channel !== this.channel) return
    if (this.status !== 'live') this.opened(channel)
    this.lastNews = this.clock.now()
    this.watchSilence()
    let data: unknown
    try {
      data = JSON.parse(text)
    } catch {
      return // an incomplete event; the next event or poll has the same data
    }
    const service = (data as { service?: string } | null)?.service
    for (const each of this.subscriptions) {
      if (topicOf(name, service) === each.topic) each.event(name, data)
    }
    this.changed()
  }

  /** Handles an error. The browser reopens a broken stream itself, with Last-Event-ID; a refused stream stays closed. */
  private failed(channel: EventChannel): void {
    if (channel !== this.channel) return
    this.missedSome = true
    this.failures += 1
    if (channel.readyState === CLOSED) {
      this.closeChannel()
      this.reopenLater()
    }
    this.pollMeanwhile()
  }

  /** Handles the loss of the network, which the browser reports: subscribers ask at once instead of after a silence. */
  lost(): void {
    if (this.channel === null) return
    this.missedSome = true
    this.failures += 1
    this.closeChannel()
    this.reopenLater()
    this.resyncAll()
    this.pollMeanwhile()
  }

  private reopenLater(): void {
    const [first, longest] = timing.reopen
    const wait = Math.min(longest, first * 2 ** (this.failures - 1))
    if (this.reopenTimer !== null) this.clock.clearTimeout(this.reopenTimer)
    this.reopenTimer = this.clock.setTimeout(() => {
      this.reopenTimer = null
      this.openNow()
    }, wait)
  }

  private watchSilence(): void {
    if (this.silenceTimer !== null) this.clock.clearTimeout(this.silenceTimer)
    this.silenceTimer = this.clock.setTimeout(() => {
      this.silenceTimer = null
      this.missedSome = true
      this.failures += 1
      this.closeChannel()
      this.reopenLater()
      this.pollMeanwhile()
    }, timing.silence)
  }

  private pollMeanwhile(): void {
    this.become('polling')
    this.pollTimer ??= this.clock.setTimeout(() => {
      this.pollTimer = null
      if (this.status !== 'polling') return
      this.resyncAll()
      this.pollMeanwhile()
    }, timing.poll)
  }

  private resyncAll(): void {
    for (const each of this.subscriptions) each.resync()
  }

  private closeChannel(): void {
    if (this.silenceTimer !== null) this.clock.clearTimeout(this.silenceTimer)
    this.silenceTimer = null
    this.channel?.close()
    this.channel = null
  }

  private become(status: StreamStatus): void {
    if (this.status === status) return
    this.status = status
    this.changed()
  }
}

/** Returns the topic of an event. Points, transitions and judgements name their service in their data. */
function topicOf(name: string, service: string | undefined): string {
  switch (name) {
    case 'point':
    case 'transition':
    case 'judgement':
      return `service:${service ?? ''}`
    case 'change':
    case 'verification':
    case 'order':
      return `${name}s`
    default:
      return name
  }
}
