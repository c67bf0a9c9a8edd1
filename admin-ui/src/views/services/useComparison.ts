// The series that charts are compared with: the same service earlier, or another service at the same time.
import { computed, onScopeDispose, watch, type ComputedRef, type Ref } from 'vue'
import { api, body } from '../../api/client'
import type { Selection } from '../../charts/plot'
import { aligned, bridged } from '../../charts/series'
import { isLive, range } from '../../shell/range'
import { useLoad } from '../../shell/useLoad'

/** Offsets into the past that the console offers, in seconds. */
export const EARLIER = [3600, 86_400, 604_800] as const

/** Interval at which the compared series of a moving range is loaded again. */
const REFRESH_MILLIS = 60_000

/** A comparison: the same service a number of seconds earlier, or another service now. */
export type Comparison = { earlier: number } | { service: string } | null

/** Returns the comparison that an address names. */
export function comparisonOf(query: unknown): Comparison {
  if (typeof query !== 'string' || query === '') return null
  const earlier = EARLIER.find((each) => String(each) === query)
  return earlier === undefined ? { service: query } : { earlier }
}

export function useComparison(service: Ref<string>, chosen: ComputedRef<Comparison>, window_: Ref<Selection>) {
  const shift = computed(() => (chosen.value && 'earlier' in chosen.value ? chosen.value.earlier : 0))
  const other = computed(() => (chosen.value && 'service' in chosen.value ? chosen.value.service : service.value))

  const load = useLoad(async (signal) => {
    const { from, to } = window_.value
    // A moving range is loaded with the minute that it will show before the next load.
    const end = to - shift.value + (isLive.value && shift.value > 0 ? REFRESH_MILLIS / 1000 : 0)
    return body(
      api.GET('/api/v1/services/{service}/series', {
        params: {
          path: { service: other.value },
          query: { from: new Date((from - shift.value) * 1000).toISOString(), to: new Date(end * 1000).toISOString() },
        },
        signal,
      }),
    )
  })

  watch(
    [other, shift, range],
    () => {
      load.data.value = null
      if (chosen.value) void load.reload()
    },
    { immediate: true },
  )
  const timer = window.setInterval(() => {
    if (chosen.value && isLive.value && !document.hidden) void load.reload()
  }, REFRESH_MILLIS)
  onScopeDispose(() => window.clearInterval(timer))

  /** Returns the compared values at the places of these times, or undefined without a comparison. */
  function at(times: readonly number[], name: string): (number | null | undefined)[] | undefined {
    const series = load.data.value
    if (!chosen.value || !series || !(name in series.columns)) return undefined
    return bridged(aligned(times, series, name, shift.value))
  }

  return { at, loaded: load.data, failure: load.failure, reload: load.reload }
}
