// The dialog "Add a host". It is in the frame of the pages, so that every page can open it.
import { shallowRef } from 'vue'
import type { PartKind } from '../../api/types'

/** The values of the form when it opens. */
export interface WantedHost {
  kinds: PartKind[]
  /** Name of the host; empty: any. */
  node: string
}

/** Null while the dialog is closed. */
export const addingHost = shallowRef<WantedHost | null>(null)

export function addHost(wanted: Partial<WantedHost> = {}): void {
  addingHost.value = { kinds: ['agent'], node: '', ...wanted }
}
