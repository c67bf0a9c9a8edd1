// The text of a failed request: the locale's sentence, then the server's details.
import type { RequestFailed } from '../api/client'
import { needsPassword } from './passwordAgain'

type Translate = (key: string, values?: Record<string, unknown>) => string

export function explain(failure: RequestFailed, t: Translate): string {
  if (needsPassword(failure)) return t('problem.passwordRequired')
  const known = [0, 401, 403, 404, 409, 412, 429, 502, 503].includes(failure.status)
  const own = t(known ? `problem.status${failure.status}` : 'problem.other', { status: failure.status })
  const details = [failure.problem?.detail, ...(failure.problem?.errors ?? []).map((each) => `${each.field}: ${each.message}`)]
  return [own, ...details.filter(Boolean)].join(' ')
}
