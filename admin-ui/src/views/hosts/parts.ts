import type { Part } from '../../api/types'

/**
 * Divides the parts into those that report, or that would if their certificate had not ended, and the former identities: revoked, replaced, or ended with a later valid
 * part of the same source.
 */
export function divided(parts: readonly Part[]): { present: Part[]; former: Part[] } {
  const valid = new Set(parts.filter((each) => each.state === 'valid').map((each) => each.source))
  const isPresent = (each: Part): boolean => each.state === 'valid' || (each.state === 'expired' && !valid.has(each.source))
  return { present: parts.filter(isPresent), former: parts.filter((each) => !isPresent(each)) }
}
