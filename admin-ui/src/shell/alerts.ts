// What fires and what is held back, kept once for the whole tab and patched by the stream; every screen may read it.
import { computed, effectScope, shallowRef, watch } from 'vue'
import { api, body } from '../api/client'
import type { Alert, AlertsNow, Silence } from '../api/types'
import { follow, paused } from './live'
import { useLoad, type Load } from './useLoad'

const kept = shallowRef<Load<AlertsNow> | null>(null)

/** Starts following; called by the shell when a session begins. @returns what ends it */
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

/** What fires and is silenced now; absent until it is known. */
export function alertsNow(): Load<AlertsNow> | null {
  return kept.value
}

const now = computed(() => kept.value?.data.value ?? null)

/** Alerts that call for somebody: silenced ones are left out. */
export const firingCount = computed(() => now.value?.firing.filter((each) => !each.silencedBy).length ?? 0)

export function alertsOf(subject: string): Alert[] {
  return now.value?.firing.filter((each) => each.subject === subject) ?? []
}

/** Silences that run; those that may concern one subject, when one is given. Ended ones go by the clock. */
export function silencesNow(millis: number, subject?: string): Silence[] {
  return (now.value?.silences ?? []).filter((each) => Date.parse(each.endsAt) > millis && (subject === undefined || covers(each, subject)))
}

/** As the service matches: `*` stands for any number of characters; a maintenance names one service. */
export function covers(silence: Pick<Silence, 'kind' | 'service'>, subject: string): boolean {
  if (silence.service === null || silence.service === undefined) return true
  if (silence.kind === 'maintenance') return silence.service === subject
  const parts = silence.service.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(subject)
}
