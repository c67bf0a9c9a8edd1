// The time range that all pages share. It is part of the address, so that a link shows the same minutes to a colleague
// and the browser's Back button undoes a zoom.
import { computed, shallowRef } from 'vue'
import type { LocationQuery, LocationQueryRaw } from 'vue-router'
import { now, paused } from './live'

/** The last seconds, moving; or a fixed interval of the past, in milliseconds since the epoch. */
export type Range = { kind: 'live'; seconds: number } | { kind: 'fixed'; from: number; to: number }

export const PRESETS = [300, 900, 3600, 21_600, 86_400, 604_800] as const
/** Seconds of the longest moving range: three years, as long as hours are kept by default. */
const LONGEST = 94_608_000

export const DEFAULT: Range = { kind: 'live', seconds: 900 }

export const range = shallowRef<Range>(DEFAULT)

export const isLive = computed(() => range.value.kind === 'live' && !paused.value)

let frozenAt = 0

/** Returns the current start and end of the range, in milliseconds since the epoch. A paused live range does not move. */
export const bounds = computed<{ from: number; to: number }>(() => {
  const current = range.value
  if (current.kind === 'fixed') return { from: current.from, to: current.to }
  if (!paused.value) frozenAt = now.value
  const to = frozenAt
  return { from: to - current.seconds * 1000, to }
})

export function rangeQuery(value: Range): LocationQueryRaw {
  if (value.kind === 'fixed') return { from: new Date(value.from).toISOString(), to: new Date(value.to).toISOString() }
  return { range: String(value.seconds) }
}

/** Returns the range of an address. Invalid values count as absent. */
export function rangeOf(query: LocationQuery): Range | null {
  const from = Date.parse(String(query.from ?? ''))
  const to = Date.parse(String(query.to ?? ''))
  if (Number.isFinite(from) && Number.isFinite(to) && from < to) return { kind: 'fixed', from, to }
  const seconds = Number(query.range)
  return Number.isInteger(seconds) && seconds >= 60 && seconds <= LONGEST ? { kind: 'live', seconds } : null
}

export function sameRange(a: Range, b: Range): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the interval before (-1) or after (1) an interval, of the same length; it does not reach into the future. */
export function shifted(interval: { from: number; to: number }, direction: -1 | 1, latest: number): Range {
  const length = interval.to - interval.from
  const to = Math.min(interval.to + direction * length, latest)
  return { kind: 'fixed', from: to - length, to }
}

/** Returns an interval of twice the length around the same middle; it does not reach into the future. */
export function zoomedOut(interval: { from: number; to: number }, latest: number): Range {
  const half = (interval.to - interval.from) / 2
  const to = Math.min(interval.to + half, latest)
  return { kind: 'fixed', from: to - 4 * half, to }
}

/** Returns an instant as a field of type datetime-local reads it: in the browser's time zone, to the second. */
export function localInput(millis: number): string {
  return new Date(millis - new Date(millis).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** Returns the browser's time zone: "Asia/Tokyo (UTC+09:00)". */
export function zoneName(millis = Date.now()): string {
  const minutes = -new Date(millis).getTimezoneOffset()
  const two = (number: number): string => String(number).padStart(2, '0')
  const offset = `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  return `${Intl.DateTimeFormat().resolvedOptions().timeZone} (${offset})`
}
