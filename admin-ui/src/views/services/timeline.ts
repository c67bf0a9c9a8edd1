// A connection as a sequence of phases, in microseconds from its first packet.
import type { Connection } from '../../api/types'

export type Phase = 'handshake' | 'waiting' | 'response' | 'transfer' | 'closing'

export interface Step {
  phase: Phase
  from: number
  to: number
  /** Number of the exchange, from 0; absent for the connection's own phases. */
  exchange?: number
}

/** Returns an instant relative to the start. Older sources send instants since the connection's start, others since the epoch. */
const EPOCH_FLOOR = 1e14

/** Returns microseconds since the epoch. Date.parse alone would lose the last three digits. */
export function epochMicros(at: string): number {
  const fraction = /\.(\d+)/.exec(at)?.[1] ?? ''
  const whole = Math.floor(Date.parse(at) / 1000) * 1_000_000
  return whole + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** Returns the phases: SYN → accepted → request → first byte → last byte for each exchange, then the close. */
export function timeline(connection: Connection): Step[] {
  const start = epochMicros(connection.start)
  const offset = (instant: number): number => Math.max(0, instant > EPOCH_FLOOR ? instant - start : instant)
  const steps: Step[] = []
  let at = 0
  const add = (phase: Phase, to: number, exchange?: number): void => {
    if (to > at) steps.push(exchange === undefined ? { phase, from: at, to } : { phase, from: at, to, exchange })
    at = Math.max(at, to)
  }
  if (typeof connection.handshakeMicros === 'number') add('handshake', connection.handshakeMicros)
  connection.exchanges.forEach((each, index) => {
    add('waiting', offset(each.requestMicros), index)
    if (typeof each.firstByteMicros === 'number') add('response', offset(each.firstByteMicros), index)
    if (typeof each.lastByteMicros === 'number') add('transfer', offset(each.lastByteMicros), index)
  })
  add('closing', connection.durationMicros)
  return steps
}
