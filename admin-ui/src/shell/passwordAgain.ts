// The question for the password before an action that leads to lasting access. The dialog is in the frame of the pages.
import { shallowRef } from 'vue'
import type { RequestFailed } from '../api/client'

/** The action that waits for the answer; null while no question is open. */
export const waiting = shallowRef<((confirmed: boolean) => void) | null>(null)

export function needsPassword(failure: RequestFailed): boolean {
  return failure.problem?.type.endsWith(':password-required') ?? false
}

/** Opens the dialog. @returns whether the password was right; false when the dialog was closed */
export function askPassword(): Promise<boolean> {
  waiting.value?.(false)
  return new Promise((resolve) => {
    waiting.value = (confirmed) => {
      waiting.value = null
      resolve(confirmed)
    }
  })
}
