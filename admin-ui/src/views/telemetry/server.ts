// What the page of stored telemetry derives from the state of a ClickHouse server.
import type { ClickHouse } from '../../api/types'

/** Share of the limit on parts from which the central service alerts. */
export const MANY_PARTS = 0.5

export const TONES: Record<ClickHouse['condition'], { tone: 'ok' | 'bad' | 'fault'; mark: string }> = {
  storing: { tone: 'ok', mark: '✓' },
  'not-storing': { tone: 'bad', mark: '!' },
  away: { tone: 'fault', mark: '✕' },
}

const KNOWN = ['connections', 'exchanges', 'windows', 'rollups', 'facts', 'batches'] as const

/** Returns the key of the text about a table; tables that keep no records are bookkeeping. */
export function ofTable(name: string): string {
  return KNOWN.find((each) => each === name) ?? 'bookkeeping'
}
