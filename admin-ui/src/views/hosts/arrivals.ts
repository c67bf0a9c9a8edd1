// The parts that enrol with a code while its dialog is open, found by polling the list of parts.
import { computed, onScopeDispose } from 'vue'
import { api, body } from '../../api/client'
import type { CreatedEnrolmentCode, Part } from '../../api/types'
import { useLoad } from '../../shell/useLoad'

const EVERY_MILLIS = 2_000

/** Seconds after the end of a code in which a part that used it just before still appears. */
const GRACE_SECONDS = 10

/**
 * Returns the valid parts that enrolled with a code, the first one first. A part does not name its code: these are the parts that the code allows, that enrolled since it was
 * made and that were not in the list before.
 */
export function arrived(parts: readonly Part[], code: Pick<CreatedEnrolmentCode, 'created' | 'kinds' | 'node'>, known: ReadonlySet<string>): Part[] {
  // Both times are of the service's clock; one of them may be cut to whole seconds.
  const since = Math.floor(Date.parse(code.created) / 1000) * 1000
  return parts
    .filter((each) => each.state === 'valid' && !known.has(each.id) && Date.parse(each.enrolled) >= since && code.kinds.includes(each.kind) && (!code.node || each.node === code.node))
    .sort((one, other) => Date.parse(one.enrolled) - Date.parse(other.enrolled))
}

/**
 * Polls the list of parts, until the code is used up or has ended.
 *
 * @param known ids of the parts before the code was made
 * @param left seconds until the end of the code; negative after it
 */
export function useArrivals(code: CreatedEnrolmentCode, known: ReadonlySet<string>, left: () => number) {
  const { data, failure, loading, reload } = useLoad((signal) => body(api.GET('/api/v1/parts', { signal })))
  const arrivals = computed(() => arrived(data.value?.parts ?? [], code, known))
  const usedUp = computed(() => arrivals.value.length >= code.uses)
  const timer = window.setInterval(() => {
    if (usedUp.value || left() < -GRACE_SECONDS) window.clearInterval(timer)
    else if (!loading.value) void reload()
  }, EVERY_MILLIS)
  onScopeDispose(() => window.clearInterval(timer))
  return { arrivals, usedUp, failure }
}
