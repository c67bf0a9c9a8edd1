// The values of both sides of a proxy and of the server itself, as rows for comparison. Pure functions.
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

/** Returns the server's own value: from a Komainu proxy's counters, otherwise from the access log. */
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

/** Returns the rows with at least one known value. */
export function rows(outside: Outside): Row[] {
  return FIGURES.map(([key, kind]) => ({
    key,
    kind,
    client: outside.clientSide[key] ?? null,
    origin: outside.originSide?.[key] ?? null,
    own: ownOf(outside, key),
  })).filter((row) => row.client !== null || row.origin !== null || row.own !== null)
}

/** Returns the ratio of the connections from packets to those from the server's log; null without both values. */
export function unseenFactor(outside: Outside): number | null {
  const packets = outside.clientSide.concurrentMean
  const log = outside.log?.concurrentMean
  return packets && log ? packets / log : null
}
