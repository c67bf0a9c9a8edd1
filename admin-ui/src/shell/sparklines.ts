// The last minute of the services that the page shows at the moment. They are loaded apart from the fleet: every point changes in each
// second, but a screen shows few rows.
import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { api, body } from '../api/client'
import { paused } from './live'

export type Line = 'arrival' | 'processed' | 'response' | 'concurrent'
export type Lines = Partial<Record<string, (number | null)[]>>

/** Most services of one request. */
const MOST = 100
/** Time in which rows that come into sight one after the other share one request. */
const SETTLE_MILLIS = 150

/**
 * @param ids the services in sight
 * @param seconds interval at which the lines are loaded again
 */
export function useSparklines(ids: Ref<string[]>, lines: Line[], seconds: () => number): Ref<Map<string, Lines>> {
  const known = shallowRef(new Map<string, Lines>())
  let timer: number | undefined
  let running: AbortController | null = null

  async function load(): Promise<void> {
    window.clearTimeout(timer)
    timer = window.setTimeout(() => void load(), seconds() * 1000)
    const service = ids.value.slice(0, MOST)
    if (service.length === 0 || paused.value || document.hidden) return
    running?.abort()
    const mine = (running = new AbortController())
    try {
      const found = await body(api.GET('/api/v1/sparklines', { params: { query: { service, line: lines } }, signal: mine.signal }))
      const next = new Map(service.flatMap((id) => (known.value.has(id) ? [[id, known.value.get(id)!] as const] : [])))
      for (const each of found) next.set(each.service, each.lines)
      known.value = next
    } catch {
      // The lines of before stay; the next request follows.
    }
  }

  watch(
    [ids, paused],
    () => {
      window.clearTimeout(timer)
      const missing = ids.value.some((id) => !known.value.has(id))
      timer = window.setTimeout(() => void load(), missing ? SETTLE_MILLIS : seconds() * 1000)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    window.clearTimeout(timer)
    running?.abort()
  })
  return known
}
