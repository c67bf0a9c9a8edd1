// The overview, stored once per tab and updated by the stream. Every page can read it.
import { effectScope, shallowRef, watch } from 'vue'
import { api, body } from '../api/client'
import type { Overview } from '../api/types'
import { follow, paused } from './live'
import { useLoad, type Load } from './useLoad'

const kept = shallowRef<Load<Overview> | null>(null)

/** Starts the subscription; the shell calls it when a session begins. @returns a function that ends it */
export function followOverview(): () => void {
  const scope = effectScope(true)
  scope.run(() => {
    const load = useLoad((signal) => body(api.GET('/api/v1/overview', { signal })))
    kept.value = load
    void load.reload()
    follow({
      topic: 'overview',
      event: (_name, data) => {
        if (paused.value) return
        load.data.value = data as Overview
        load.failure.value = null
      },
      resync: () => {
        if (!paused.value) void load.reload()
      },
    })
    watch(paused, (stopped) => {
      if (!stopped) void load.reload()
    })
  })
  return () => scope.stop()
}

/** Returns the display name of a service, such as "apache :80", or the identifier of a service that no longer exists. */
export function nameOf(service: string): string {
  return kept.value?.data.value?.services.find((each) => each.id === service)?.name ?? service
}

/** @throws Error outside the shell */
export function overview(): Load<Overview> {
  if (!kept.value) throw new Error('overview: read before the shell follows it')
  return kept.value
}
