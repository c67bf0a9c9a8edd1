// The reasons why a login at the OpenID provider opened no session, as the service writes them into the address.
const REASONS = ['provider-away', 'provider-refused', 'expired', 'token', 'no-group', 'name-taken', 'name', 'other-user', 'too-many']

/** Returns the locale key of a reason's text; that of an unknown reason for any other text, null without one. */
export function refusalKey(reason: unknown): string | null {
  if (typeof reason !== 'string' || reason === '') return null
  return `refused.${REASONS.includes(reason) ? reason : 'unknown'}`
}
