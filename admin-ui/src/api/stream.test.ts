import { beforeEach, describe, expect, it } from 'vitest'
import { LiveStream, timing, type EventChannel, type StreamClock } from './stream'

class FakeChannel implements EventChannel {
  readyState = 0
  onopen: ((event: Event) => void) | null = null
  onerror: ((event: Event) => void) | null = null
  closed = false
  private readonly listeners = new Map<string, (event: MessageEvent<string>) => void>()

  constructor(readonly topics: string) {}

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.listeners.set(type, listener)
  }
  close(): void {
    this.closed = true
    this.readyState = 2
  }
  opens(): void {
    this.readyState = 1
    this.onopen?.(new Event('open'))
  }
  breaks(forGood: boolean): void {
    this.readyState = forGood ? 2 : 0
    this.onerror?.(new Event('error'))
  }
  sends(type: string, data: string): void {
    this.listeners.get(type)?.({ data } as MessageEvent<string>)
  }
}

class FakeClock implements StreamClock {
  time = 0
  private next = 1
  private readonly timers = new Map<number, { at: number; action: () => void }>()

  now(): number {
    return this.time
  }
  setTimeout(action: () => void, millis: number): number {
    this.timers.set(this.next, { at: this.time + millis, action })
    return this.next++
  }
  clearTimeout(id: number): void {
    this.timers.delete(id)
  }
  advance(millis: number): void {
    const end = this.time + millis
    for (;;) {
      const due = [...this.timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0]
      if (!due) break
      this.timers.delete(due[0])
      this.time = due[1].at
      due[1].action()
    }
    this.time = end
  }
}

describe('LiveStream', () => {
  let clock: FakeClock
  let channels: FakeChannel[]
  let stream: LiveStream
  const events: string[] = []
  let resyncs = 0
  const last = (): FakeChannel => channels.at(-1)!
  const overview = { topic: 'services', event: (name: string) => void events.push(name), resync: () => void (resyncs += 1) }

  beforeEach(() => {
    clock = new FakeClock()
    channels = []
    events.length = 0
    resyncs = 0
    stream = new LiveStream((topics) => {
      const channel = new FakeChannel(topics)
      channels.push(channel)
      return channel
    }, clock)
  })

  it('subscribe_severalAtOnce_shareOneStream', () => {
    stream.subscribe(overview)
    stream.subscribe({ ...overview, topic: 'service:web-01:80' })
    clock.advance(timing.settle)
    expect(channels.map((each) => each.topics)).toEqual(['service:web-01:80,services'])
  })

  it('event_ofAService_reachesItsSubscriberOnly', () => {
    const seen: unknown[] = []
    stream.subscribe(overview)
    stream.subscribe({ topic: 'service:a', event: (_name, data) => void seen.push(data), resync: () => {} })
    clock.advance(timing.settle)
    last().opens()
    last().sends('point', '{"service":"a","time":1}')
    last().sends('point', '{"service":"b","time":1}')
    last().sends('point', 'torn{')
    expect(seen).toEqual([{ service: 'a', time: 1 }])
    expect(events).toEqual([])
  })

  it('break_passing_pollsUntilItIsBackThenResyncs', () => {
    stream.subscribe(overview)
    clock.advance(timing.settle)
    last().opens()
    last().breaks(false)
    expect(stream.status).toBe('polling')
    clock.advance(timing.poll * 2)
    expect(resyncs).toBe(2)
    last().opens()
    expect(stream.status).toBe('live')
    expect(resyncs).toBe(3)
    clock.advance(timing.poll * 2)
    expect(resyncs).toBe(3)
    expect(channels).toHaveLength(1)
  })

  it('break_forGood_reopensWithGrowingPatience', () => {
    stream.subscribe(overview)
    clock.advance(timing.settle)
    for (let i = 0; i < 6; i += 1) {
      last().breaks(true)
      const opened = channels.length
      clock.advance(Math.min(timing.reopen[1], timing.reopen[0] * 2 ** i) - 1)
      expect(channels).toHaveLength(opened)
      clock.advance(1)
      expect(channels).toHaveLength(opened + 1)
    }
  })

  it('silence_onAnOpenStream_isTakenForBroken', () => {
    stream.subscribe(overview)
    clock.advance(timing.settle)
    last().opens()
    last().sends('services', '{}')
    clock.advance(timing.silence)
    expect(channels[0]!.closed).toBe(true)
    expect(stream.status).toBe('polling')
    clock.advance(timing.reopen[0])
    expect(channels).toHaveLength(2)
    last().opens()
    expect(stream.status).toBe('live')
  })

  it('lost_network_asksAtOnceAndOpensAgain', () => {
    stream.subscribe(overview)
    clock.advance(timing.settle)
    last().opens()
    stream.lost()
    expect(channels[0]!.closed).toBe(true)
    expect(stream.status).toBe('polling')
    expect(resyncs).toBe(1)
    clock.advance(timing.reopen[0])
    expect(channels).toHaveLength(2)
  })

  it('lost_withoutAStream_doesNothing', () => {
    stream.lost()
    expect(stream.status).toBe('idle')
  })

  it('reset_whenReplayIsImpossible_resyncs', () => {
    stream.subscribe(overview)
    clock.advance(timing.settle)
    last().opens()
    last().sends('reset', '{}')
    expect(resyncs).toBe(1)
  })

  it('unsubscribe_lastOne_closesTheStream', () => {
    const end = stream.subscribe(overview)
    clock.advance(timing.settle)
    end()
    clock.advance(timing.settle)
    expect(last().closed).toBe(true)
    expect(stream.status).toBe('idle')
  })
})
