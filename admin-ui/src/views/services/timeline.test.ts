import { describe, expect, it } from 'vitest'
import type { Connection } from '../../api/types'
import { epochMicros, timeline } from './timeline'

const none = { packets: 0, wireBytes: 0, payloadBytes: 0, uniqueBytes: 0, retransmissions: 0, outOfOrder: 0, zeroWindow: 0 }
const START = '2026-11-21T01:00:00.000123Z'

function connection(more: Partial<Connection>): Connection {
  return { id: 'c', client: 'a', server: 'b', start: START, end: START, durationMicros: 1000, state: 'normal', up: none, down: none, exchanges: [], ...more }
}

describe('timeline', () => {
  it('epochMicros_microsecondInstant_keepsItsDigits', () => {
    expect(epochMicros(START) % 1_000_000).toBe(123)
    expect(epochMicros('2026-11-21T01:00:00Z') % 1_000_000).toBe(0)
  })

  it('timeline_oneExchange_runsFromSynToClose', () => {
    const start = epochMicros(START)
    const steps = timeline(
      connection({ handshakeMicros: 100, exchanges: [{ requestMicros: start + 150, firstByteMicros: start + 400, lastByteMicros: start + 700 }] }),
    )
    expect(steps.map((each) => [each.phase, each.from, each.to])).toEqual([
      ['handshake', 0, 100],
      ['waiting', 100, 150],
      ['response', 150, 400],
      ['transfer', 400, 700],
      ['closing', 700, 1000],
    ])
  })

  it('timeline_unansweredRequest_goesStraightToTheClose', () => {
    expect(timeline(connection({ exchanges: [{ requestMicros: 150 }] })).map((each) => each.phase)).toEqual(['waiting', 'closing'])
  })
})
