// The session of the logged-in user, one per tab.
import { computed, shallowRef } from 'vue'
import { api, body, useCsrfToken } from '../api/client'
import type { Role, Session, Silence } from '../api/types'
import { matches } from './labels'
import { labelsOf } from './overview'

export const session = shallowRef<Session | null>(null)

const RANK: Record<Role, number> = { viewer: 0, operator: 1, administrator: 2 }

export const role = computed<Role>(() => session.value?.user?.role ?? 'viewer')

/** Returns whether the user has at least this role. The server decides; this check only hides unusable buttons. */
export function may(needed: Role): boolean {
  return RANK[role.value] >= RANK[needed]
}

/** Returns whether the user may change a service: an operator of a group changes only its services. */
export function mayChange(service: string): boolean {
  const group = session.value?.user?.group
  return may('operator') && (!group || matches(group, labelsOf(service)))
}

/** Returns whether the user may end a silence: an operator of a group ends those that cover only services of the group. */
export function mayEnd({ kind, service, label }: Pick<Silence, 'kind' | 'service' | 'label'>): boolean {
  if (kind === 'maintenance') return mayChange(service ?? '')
  const group = session.value?.user?.group
  const parts = (label ?? '').split(',')
  return may('operator') && (!group || group.split(',').every((each) => parts.includes(each)))
}

function keep(fresh: Session): Session {
  session.value = fresh
  useCsrfToken(fresh.csrfToken)
  return fresh
}

export async function loadSession(): Promise<Session> {
  return keep(await body(api.GET('/api/v1/session')))
}

export async function logIn(name: string, password: string): Promise<Session> {
  return keep(await body(api.POST('/api/v1/session', { body: { name, password } })))
}

/** Gives the code of a login whose password was right. */
export async function giveCode(code: string): Promise<Session> {
  return keep(await body(api.POST('/api/v1/session/code', { body: { code } })))
}

/** Ends the session. @returns the address at which the browser ends its session at the OpenID provider, too; null without one */
export async function logOut(): Promise<string | null> {
  const left = await body(api.DELETE('/api/v1/session'))
  await loadSession()
  return left?.location ?? null
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await body(api.PUT('/api/v1/session/password', { body: { currentPassword, newPassword } }))
  await loadSession()
}
