// The one event stream of this tab. Browsers allow six connections to a server over HTTP/1.1 and an event stream holds
// one for as long as it lives, so every screen subscribes here instead of opening its own.
//
//   connecting ──open──▶ live ──error, or silence──▶ polling ──reopened──▶ live
//
// While polling, subscribers are told to ask the REST service themselves (`resync`). They are told once more when the
// stream is back, and when the server says it cannot replay what was missed (`reset`).

export type StreamStatus = 'idle' | 'connecting' | 'live' | 'polling'

/** What is used of EventSource; tests bring their own. */
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
  /** Ask the REST service: something may have been missed, or the stream is down. */
  resync(): void
}

/** How long each waits, in milliseconds. */
export const timing = {
  /** An open stream without any event for this long is taken for broken. */
  silence: 20_000,
  /** Between two polls while the stream is down. */
  poll: 5_000,
  /** Before a closed stream is opened again: doubled each time up to the second figure. */
  reopen: [1_000, 30_000] as const,
  /** Subscriptions made in one go share one opening. */
  settle: 20,
}

const CLOSED = 2
const EVENT_NAMES = ['overview', 'point', 'transition', 'change', 'verification', 'order', 'alerts'] as const

export class LiveStream {
  status: StreamStatus = 'idle'
  /** When the last news came, by stream or by poll; 0 before the first. */
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

  /** @returns what ends the subscription */
  subscribe(subscription: Subscription): () => void {
    this.subscriptions.add(subscription)
    this.reopenSoon()
    return () => {
      this.subscriptions.delete(subscription)
      this.reopenSoon()
    }
  }

  /** A subscriber fetched fresh data by REST. */
  noteNews(): void {
    this.lastNews = this.clock.now()
    this.changed()
  }

  /** Closes the stream and forgets all timers; subscriptions stay. */
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
      return // a torn event; the next one or the next poll brings the same news
    }
    const service = (data as { service?: string } | null)?.service
    for (const each of this.subscriptions) {
      if (topicOf(name, service) === each.topic) each.event(name, data)
    }
    this.changed()
  }

  /** The browser reopens a stream that broke by itself, with Last-Event-ID; one that was refused stays closed. */
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

/** The topic an event belongs to; points and transitions name their service in their data. */
function topicOf(name: string, service: string | undefined): string {
  switch (name) {
    case 'point':
    case 'transition':
      return `service:${service ?? ''}`
    case 'change':
    case 'verification':
    case 'order':
      return `${name}s`
    default:
      return name
  }
}
