// The text of a failed request: the locale's sentence, then the server's details.
import type { RequestFailed } from '../api/client'
import { needsPassword } from './passwordAgain'

type Translate = (key: string, values?: Record<string, unknown>) => string

/** Problems about codes of the second factor, with their texts. */
const CODES: Record<string, string> = {
  'code-refused': 'secondFactor.refused',
  'code-used': 'secondFactor.used',
  'codes-exhausted': 'secondFactor.exhausted',
  'second-factor-unreadable': 'secondFactor.unreadable',
  'login-ended': 'secondFactor.ended',
  'no-offer': 'secondFactor.late',
}

/** Returns the last part of a problem's type; empty without one. */
export function problemType(failure: RequestFailed): string {
  return failure.problem?.type.split(':').at(-1) ?? ''
}

export function explain(failure: RequestFailed, t: Translate): string {
  if (needsPassword(failure)) return t('problem.passwordRequired')
  const ofCode = CODES[problemType(failure)]
  if (ofCode) return t(ofCode)
  const known = [0, 401, 403, 404, 409, 412, 429, 502, 503].includes(failure.status)
  const own = t(known ? `problem.status${failure.status}` : 'problem.other', { status: failure.status })
  const details = [failure.problem?.detail, ...(failure.problem?.errors ?? []).map((each) => `${each.field}: ${each.message}`)]
  return [own, ...details.filter(Boolean)].join(' ')
}
