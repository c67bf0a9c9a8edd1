// Firing alerts and active silences, stored once per tab and updated by the stream. Every page can read them.
import { computed, effectScope, shallowRef, watch } from 'vue'
import { api, body } from '../api/client'
import type { Alert, AlertsNow, Silence } from '../api/types'
import { matches, type Labels } from './labels'
import { follow, paused } from './live'
import { labelsOf } from './overview'
import { useLoad, type Load } from './useLoad'

const kept = shallowRef<Load<AlertsNow> | null>(null)

/** Starts the subscription; the shell calls it when a session begins. @returns a function that ends it */
export function followAlerts(): () => void {
  const scope = effectScope(true)
  scope.run(() => {
    const load = useLoad(async (signal): Promise<AlertsNow> => {
      const [firing, silences] = await Promise.all([body(api.GET('/api/v1/alerts', { signal })), body(api.GET('/api/v1/silences', { signal }))])
      return { at: new Date().toISOString(), firing: firing.items, silences }
    })
    kept.value = load
    void load.reload()
    follow({
      topic: 'alerts',
      event: (_name, data) => {
        if (paused.value) return
        load.data.value = data as AlertsNow
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
  return () => {
    scope.stop()
    kept.value = null
  }
}

/** Firing alerts and active silences; absent until they are known. */
export function alertsNow(): Load<AlertsNow> | null {
  return kept.value
}

const now = computed(() => kept.value?.data.value ?? null)

/** Firing alerts that are not silenced. */
export const firingCount = computed(() => now.value?.firing.filter((each) => !each.silencedBy).length ?? 0)

export function alertsOf(subject: string): Alert[] {
  return now.value?.firing.filter((each) => each.subject === subject) ?? []
}

/** Returns the active silences, or those that match a given subject. Ended silences are removed by the clock. */
export function silencesNow(millis: number, subject?: string): Silence[] {
  return (now.value?.silences ?? []).filter((each) => Date.parse(each.endsAt) > millis && (subject === undefined || covers(each, subject, labelsOf(subject))))
}

/** Matches as the central service does: `*` is any number of characters; a maintenance names one service; a selector must match, too. */
export function covers(silence: Pick<Silence, 'kind' | 'service' | 'label'>, subject: string, labels: Labels = {}): boolean {
  if (silence.label && !matches(silence.label, labels)) return false
  if (silence.service === null || silence.service === undefined) return true
  if (silence.kind === 'maintenance') return silence.service === subject
  const parts = silence.service.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(subject)
}
