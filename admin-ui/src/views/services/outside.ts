// The figures of both sides of a proxy, and the server's own word, as rows to put side by side. Pure.
import type { Outside, OutsideSide } from '../../api/types'

export type Kind = 'rate' | 'count' | 'millis' | 'bytesRate'

export interface Row {
  key: string
  kind: Kind
  client: number | null
  origin: number | null
  /** The server's own counters or log. */
  own: number | null
}

const FIGURES: readonly [keyof OutsideSide & string, Kind][] = [
  ['connectionsPerSecond', 'rate'],
  ['requestsPerSecond', 'rate'],
  ['answersPerSecond', 'rate'],
  ['concurrentMean', 'count'],
  ['concurrentMax', 'count'],
  ['responseP50Millis', 'millis'],
  ['responseP95Millis', 'millis'],
  ['transferP50Millis', 'millis'],
  ['connectionP50Millis', 'millis'],
  ['serverRttP50Millis', 'millis'],
  ['bytesDownPerSecond', 'bytesRate'],
]

/** What the server itself says of the same figure: our proxy's counters, else its access log. */
function ownOf(outside: Outside, key: string): number | null {
  const { own, log } = outside
  switch (key) {
    case 'requestsPerSecond':
      return own?.requestsPerSecond ?? log?.entriesPerSecond ?? null
    case 'concurrentMean':
      return log?.concurrentMean ?? null
    case 'concurrentMax':
      return log?.concurrentMax ?? null
    case 'connectionP50Millis':
      return log?.durationP50Millis ?? null
    default:
      return null
  }
}

/** Only figures that somebody knows. */
export function rows(outside: Outside): Row[] {
  return FIGURES.map(([key, kind]) => ({
    key,
    kind,
    client: outside.clientSide[key] ?? null,
    origin: outside.originSide?.[key] ?? null,
    own: ownOf(outside, key),
  })).filter((row) => row.client !== null || row.origin !== null || row.own !== null)
}

/** How many times more connections the packets show than the server's log; null where there is nothing to compare. */
export function unseenFactor(outside: Outside): number | null {
  const packets = outside.clientSide.concurrentMean
  const log = outside.log?.concurrentMean
  return packets && log ? packets / log : null
}
