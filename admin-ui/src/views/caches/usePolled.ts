// Polling of data every few seconds while the tab is visible and not paused.
import { onScopeDispose, watch } from 'vue'
import { paused } from '../../shell/live'
import { useLoad, type Load } from '../../shell/useLoad'

export function usePolled<T>(seconds: number, request: (signal: AbortSignal) => Promise<T>): Load<T> {
  const load = useLoad(request)
  void load.reload()
  const timer = window.setInterval(() => {
    if (!paused.value && !document.hidden && !load.loading.value) void load.reload()
  }, seconds * 1000)
  onScopeDispose(() => window.clearInterval(timer))
  watch(paused, (stopped) => {
    if (!stopped) void load.reload()
  })
  return load
}
