// What the overview says in fewer lines: services nobody asks anything of, and bursts of changes of one service.
import type { Overview, Service } from '../../api/types'

type Item = Overview['recent'][number]

export interface Line {
  item: Item
  /** All changes of a burst, newest first; empty for a single item. */
  burst: Item[]
}

/** More changes of one service than this within a minute are one line. */
const FEW = 3
const BURST_MILLIS = 60_000

/** Normal, and nothing arrived, was open or was answered in the minute the overview shows. */
export function isQuiet(service: Service): boolean {
  if (service.state !== 'normal') return false
  const { summary, sparklines } = service
  const figures = [
    summary.arrivalPerSecond,
    summary.processedPerSecond,
    summary.concurrent,
    ...['arrival', 'processed', 'concurrent'].flatMap((each) => sparklines?.[each] ?? []),
  ]
  return figures.every((each) => !each)
}

/** Items come newest first and stay so; a burst stands where its newest change stood. */
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
