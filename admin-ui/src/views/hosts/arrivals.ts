// The parts that enrol with a code while its dialog is open, found by polling the list of parts.
import { computed, onScopeDispose } from 'vue'
import { api, body } from '../../api/client'
import type { CreatedEnrolmentCode, Part } from '../../api/types'
import { useLoad } from '../../shell/useLoad'

const EVERY_MILLIS = 2_000

/** Seconds after the end of a code in which a part that used it just before still appears. */
const GRACE_SECONDS = 10

/** Returns the valid parts that enrolled with a code, the first one first. */
export function arrived(parts: readonly Part[], code: Pick<CreatedEnrolmentCode, 'id'>): Part[] {
  return parts.filter((each) => each.state === 'valid' && each.code === code.id).sort((one, other) => Date.parse(one.enrolled) - Date.parse(other.enrolled))
}

/**
 * Polls the list of parts, until the code is used up or has ended.
 *
 * @param left seconds until the end of the code; negative after it
 */
export function useArrivals(code: CreatedEnrolmentCode, left: () => number) {
  const { data, failure, loading, reload } = useLoad((signal) => body(api.GET('/api/v1/parts', { signal })))
  const arrivals = computed(() => arrived(data.value?.parts ?? [], code))
  const usedUp = computed(() => arrivals.value.length >= code.uses)
  const timer = window.setInterval(() => {
    if (usedUp.value || left() < -GRACE_SECONDS) window.clearInterval(timer)
    else if (!loading.value) void reload()
  }, EVERY_MILLIS)
  onScopeDispose(() => window.clearInterval(timer))
  return { arrivals, usedUp, failure }
}
