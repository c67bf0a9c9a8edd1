// Page code that could not be loaded: the service does not respond, or an upgrade replaced the files that this tab names.
import { shallowRef } from 'vue'
import type { Router } from 'vue-router'

/** Address of the page whose code could not be loaded; null when all code that was needed is here. */
export const unloadedPage = shallowRef<string | null>(null)

export function watchPageCode(router: Router): void {
  router.onError((_cause, to) => {
    unloadedPage.value = to.fullPath
  })
  router.afterEach((_to, _from, failure) => {
    if (!failure) unloadedPage.value = null
  })
}

/** Loads the console anew at the page that was wanted. */
export function loadAnew(): void {
  if (unloadedPage.value !== null) location.hash = unloadedPage.value
  location.reload()
}
