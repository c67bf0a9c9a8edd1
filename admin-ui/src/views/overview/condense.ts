// A shorter list of recent events: bursts of changes of one service are one line.
import type { Overview } from '../../api/types'

type Item = NonNullable<Overview['recent']>[number]

export interface Line {
  item: Item
  /** All changes of a burst, newest first; empty for a single item. */
  burst: Item[]
}

/** Number of changes of one service within a minute above which they become one line. */
const FEW = 3
const BURST_MILLIS = 60_000

/** Merges bursts. Items stay in order, newest first; a burst is at the position of its newest change. */
export function condense(recent: readonly Item[]): Line[] {
  const taken = new Set<Item>()
  return recent.flatMap((item): Line[] => {
    if (taken.has(item)) return []
    const burst =
      item.kind === 'change' && item.service
        ? recent.filter(
            (each) => !taken.has(each) && each.kind === 'change' && each.service === item.service && Math.abs(Date.parse(item.at) - Date.parse(each.at)) <= BURST_MILLIS,
          )
        : []
    if (burst.length <= FEW) return [{ item, burst: [] }]
    for (const each of burst) taken.add(each)
    return [{ item, burst }]
  })
}
