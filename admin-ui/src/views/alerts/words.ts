// An alert's state in words: a service's state as everywhere, else what the kind says.
import type { Alert, State } from '../../api/types'
import { stateKey } from '../../shell/state'

export function alertStateKey(alert: Pick<Alert, 'kind' | 'state'>): string {
  return alert.kind === 'service' ? stateKey(alert.state as State) : `alerts.states.${alert.state}`
}

/** Its subject is a cluster, or a member as CLUSTER/MEMBER. */
export function aboutCluster(alert: Pick<Alert, 'kind'>): boolean {
  return alert.kind === 'cluster-parted' || alert.kind === 'cluster-conflict' || alert.kind === 'member-flapping'
}

/** Lengths a silence may have, in minutes; the longest is what the service allows. */
export const LENGTHS = [30, 60, 240, 1_440, 10_080, 43_200] as const

/** A fresh key, so that a double click or a lost answer makes one thing. Not randomUUID, which plain HTTP pages lack. */
export function freshKey(): string {
  return randomHex(16)
}

export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((each) => each.toString(16).padStart(2, '0')).join('')
}

/** Words separated by commas or white space. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
