// The indices of one service over the shared time range, updated live by the stream.
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { api, body } from '../../api/client'
import type { LiveJudgement, LivePoint, Series, Transition } from '../../api/types'
import { append, beginning, type Weights } from '../../charts/series'
import { follow, paused } from '../../shell/live'
import { bounds, isLive, range } from '../../shell/range'
import { useLoad } from '../../shell/useLoad'

/** Interval at which exact percentiles are loaded. Live means of percentiles are approximations. */
const REFRESH_MILLIS = 60_000

export function useSeries(service: Ref<string>, onTransition: (transition: Transition) => void, onJudgement: (judgement: LiveJudgement) => void = () => {}) {
  const version = ref(0)
  const series = shallowRef<Series | null>(null)
  let weights: Weights = {}

  const load = useLoad(async (signal) => {
    const { from, to } = bounds.value
    return body(
      api.GET('/api/v1/services/{service}/series', {
        params: {
          path: { service: service.value },
          query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        },
        signal,
      }),
    )
  })

  watch(load.data, (fresh) => {
    series.value = fresh
    weights = {}
    version.value += 1
  })

  watch(
    service,
    (id, _old, onCleanup) => {
      series.value = null
      const end = follow({
        topic: `service:${id}`,
        event: (name, data) => {
          if (name === 'transition') onTransition(data as Transition)
          if (name === 'judgement') onJudgement(data as LiveJudgement)
          if (name === 'point' && isLive.value && series.value) {
            const from = bounds.value.from / 1000
            if (append(series.value, weights, data as LivePoint, from)) version.value += 1
          }
        },
        resync: () => {
          if (isLive.value) void load.reload()
        },
      })
      onCleanup(end)
    },
    { immediate: true },
  )

  watch([service, range], () => void load.reload(), { immediate: true })
  watch(paused, (stopped) => {
    if (!stopped) void load.reload()
  })

  const timer = window.setInterval(() => {
    if (isLive.value && !document.hidden) void load.reload()
  }, REFRESH_MILLIS)
  onScopeDispose(() => window.clearInterval(timer))

  const window_ = computed(() => {
    // Live charts move with the data, so that they do not jump between two points.
    void version.value
    const { from, to } = bounds.value
    const start = range.value.kind === 'live' && series.value ? beginning(series.value, from / 1000, to / 1000) : from / 1000
    return { from: start, to: to / 1000 }
  })

  return { series, version, window: window_, failure: load.failure, loading: load.loading, reload: load.reload }
}
