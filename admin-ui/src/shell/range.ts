// The time range all screens share. It lives in the address, so that a link shows the same minutes to a colleague and
// the browser's Back undoes a zoom.
import { computed, shallowRef } from 'vue'
import type { LocationQuery, LocationQueryRaw } from 'vue-router'
import { now, paused } from './live'

/** The newest so many seconds, moving; or a fixed piece of the past, in milliseconds since the epoch. */
export type Range = { kind: 'live'; seconds: number } | { kind: 'fixed'; from: number; to: number }

export const PRESETS = [300, 900, 3600, 21_600, 86_400, 604_800] as const
export const DEFAULT: Range = { kind: 'live', seconds: 900 }

export const range = shallowRef<Range>(DEFAULT)

export const isLive = computed(() => range.value.kind === 'live' && !paused.value)

let frozenAt = 0

/** Start and end of the range now, in milliseconds since the epoch. A paused live range stands still. */
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

/** Reads a range from an address; nonsense in it is as good as nothing. */
export function rangeOf(query: LocationQuery): Range | null {
  const from = Date.parse(String(query.from ?? ''))
  const to = Date.parse(String(query.to ?? ''))
  if (Number.isFinite(from) && Number.isFinite(to) && from < to) return { kind: 'fixed', from, to }
  const seconds = Number(query.range)
  return Number.isInteger(seconds) && seconds >= 60 && seconds <= 31_536_000 ? { kind: 'live', seconds } : null
}

export function sameRange(a: Range, b: Range): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
