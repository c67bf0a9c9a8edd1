// Words and positions for the values of the capacity pages.
import type { CapacityReach, CapacitySummary, Knee } from '../../api/types'

/** Returns the locale key of a word with hyphens: "cpu-quota" → "cpuQuota". */
export function wordOf(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the locale key of the bottleneck: "capacity.end.cpuQuota". */
export function endKey(knee: Knee): string {
  return `capacity.end.${wordOf(knee.by)}`
}

/** Returns the date some days from now, in the user's format. */
export function dayIn(days: number, now: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'sv' : locale, { year: 'numeric', month: '2-digit', day: '2-digit' })
  return format.format(new Date(now + days * 86_400_000))
}

export type When = 'unknown' | 'now' | 'later' | 'far'

/** Returns the kind of forecast for the day on which the peak reaches the knee. */
export function when(reach: CapacityReach | null): When {
  if (!reach) return 'unknown'
  if (reach.days === 0) return 'now'
  return reach.days === null ? 'far' : 'later'
}

/** Sorts servers with known headroom by headroom, the least first; the others keep their order at the end. */
export function leastFirst(all: readonly CapacitySummary[]): CapacitySummary[] {
  const rank = (each: CapacitySummary): number => each.headroom ?? Infinity
  return [...all].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}

/** Returns ticks in at most five round steps that cover `most`. */
export function ticks(most: number): number[] {
  if (!(most > 0)) return [0]
  const raw = most / 4
  const unit = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= raw) ?? raw
  const found: number[] = []
  for (let at = 0; at <= most + step * 1e-9; at += step) found.push(at)
  return found
}

/** Rotates hours that begin with Monday 00:00 UTC to Monday 00:00 of the browser's time zone, by whole hours. */
export function localWeek<T>(hours: readonly T[], offsetMinutes: number): T[] {
  const shift = Math.round(offsetMinutes / 60)
  return hours.map((_, i) => hours[(((i - shift) % hours.length) + hours.length) % hours.length]!)
}
