// What the figures of the capacity pages become in words and places.
import type { CapacityReach, CapacitySummary, Knee } from '../../api/types'

/** Keys with a hyphen read better without one: "cpu-quota" → "cpuQuota". */
export function wordOf(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Key of what ends first: "capacity.end.cpuQuota". */
export function endKey(knee: Knee): string {
  return `capacity.end.${wordOf(knee.by)}`
}

/** The calendar day so many days from now, as the user writes days. */
export function dayIn(days: number, now: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'sv' : locale, { year: 'numeric', month: '2-digit', day: '2-digit' })
  return format.format(new Date(now + days * 86_400_000))
}

export type When = 'unknown' | 'now' | 'later' | 'far'

/** What may be said of the day the peak reaches the knee. */
export function when(reach: CapacityReach | null): When {
  if (!reach) return 'unknown'
  if (reach.days === 0) return 'now'
  return reach.days === null ? 'far' : 'later'
}

/** Of those whose headroom is known, the least first; the rest in the order they came. */
export function leastFirst(all: readonly CapacitySummary[]): CapacitySummary[] {
  const rank = (each: CapacitySummary): number => each.headroom ?? Infinity
  return [...all].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}

/** A round number of at most five steps that covers `most`. */
export function ticks(most: number): number[] {
  if (!(most > 0)) return [0]
  const raw = most / 4
  const unit = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= raw) ?? raw
  const found: number[] = []
  for (let at = 0; at <= most + step * 1e-9; at += step) found.push(at)
  return found
}

/** Monday 00:00 UTC first becomes Monday 00:00 of this browser first, by whole hours. */
export function localWeek<T>(hours: readonly T[], offsetMinutes: number): T[] {
  const shift = Math.round(offsetMinutes / 60)
  return hours.map((_, i) => hours[(((i - shift) % hours.length) + hours.length) % hours.length]!)
}
