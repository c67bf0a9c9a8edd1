// The fleet, stored once per tab and updated by the stream. Every page can read it.
import { effectScope, onScopeDispose, shallowRef, watch } from 'vue'
import { api, body } from '../api/client'
import type { FleetUpdate } from '../api/types'
import { updated, type Fleet, type Row } from './fleet'
import { shared, type Labels } from './labels'
import { follow, holdVersion, paused } from './live'
import { useLoad, type Load } from './useLoad'

const kept = shallowRef<Load<Fleet> | null>(null)
/** The rows of one fleet by id. */
let rows: { fleet: Fleet | null; byId: Map<string, Row> } = { fleet: null, byId: new Map() }

/** Time in milliseconds within which the stream must send the fleet; then it is loaded by REST. */
const PATIENCE_MILLIS = 2_000

/** Starts the subscription; the shell calls it when a session begins. @returns a function that ends it */
export function followOverview(): () => void {
  const scope = effectScope(true)
  scope.run(() => {
    /** The newest fleet. While the console is paused, the pages keep an older one. */
    let newest: Fleet | null = null
    const load = useLoad(async (signal) => {
      newest = updated(null, await body(api.GET('/api/v1/overview/rows', { signal })))!
      holdVersion(newest.version)
      return newest
    })
    load.loading.value = true
    kept.value = load
    const late = window.setTimeout(() => {
      if (!newest) void load.reload()
    }, PATIENCE_MILLIS)
    follow({
      topic: 'services',
      event: (_name, data) => {
        newest = updated(newest, data as FleetUpdate)
        if (!newest) return void load.reload()
        holdVersion(newest.version)
        load.loading.value = false
        if (paused.value) return
        load.data.value = newest
        load.failure.value = null
      },
      resync: () => {
        if (!paused.value) void load.reload()
      },
    })
    watch(paused, (stopped) => {
      if (!stopped && newest) load.data.value = newest
    })
    onScopeDispose(() => window.clearTimeout(late))
  })
  return () => {
    holdVersion('')
    scope.stop()
  }
}

/** Returns the display name of a service, such as "apache :80", or the identifier of a service that no longer exists. */
export function nameOf(service: string): string {
  return kept.value?.data.value?.names.get(service) ?? service
}

/** Returns the labels of a service that count. */
export function labelsOf(service: string): Labels {
  return rowOf(service)?.labels ?? {}
}

function rowOf(service: string): Row | undefined {
  const fleet = kept.value?.data.value ?? null
  if (rows.fleet !== fleet) rows = { fleet, byId: new Map(fleet?.services.map((each) => [each.id, each])) }
  return rows.byId.get(service)
}

/** Returns the labels of the fleet that several services have, each as a selector. Empty before the fleet is known. */
export function knownSelectors(): string[] {
  return shared(kept.value?.data.value?.services ?? []).flatMap(([, values]) => values)
}

/** @throws Error outside the shell */
export function overview(): Load<Fleet> {
  if (!kept.value) throw new Error('overview: read before the shell follows it')
  return kept.value
}
