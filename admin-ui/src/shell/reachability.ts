// Whether the central service responds, by the outcome of every request: the first one without a response tells, and the next response ends it.
import { ref } from 'vue'

/** Time of the first request without a response since the last response; null while the service responds. */
export const silentSince = ref<number | null>(null)

export function noteResponse(): void {
  silentSince.value = null
}

export function noteNoResponse(now: number = Date.now()): void {
  silentSince.value ??= now
}
