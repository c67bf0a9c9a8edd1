// Tokens of users of an OpenID provider: they are refused while their owner does not log in.
import type { Token } from '../../api/types'

type Ended = Pick<Token, 'expires' | 'loginBy'>

/** Reports whether a token is refused until its owner logs in again. */
export function rests(token: Ended, now: number): boolean {
  return Boolean(token.loginBy) && Date.parse(token.loginBy!) <= now && Date.parse(token.expires) > now
}

const DAY_MILLIS = 86_400_000

/** Reports whether a token works now, and is refused a day or more before its expiry unless its owner logs in. */
export function needsLogin(token: Ended, now: number): boolean {
  return Boolean(token.loginBy) && Date.parse(token.loginBy!) > now && Date.parse(token.loginBy!) + DAY_MILLIS <= Date.parse(token.expires)
}

/** Counts the tokens of a user that have not expired, and those of them that rest. */
export function tokensOf(tokens: readonly (Ended & Pick<Token, 'createdBy'>)[], user: string, now: number): { count: number; resting: number } {
  const own = tokens.filter((each) => each.createdBy === user && Date.parse(each.expires) > now)
  return { count: own.length, resting: own.filter((each) => rests(each, now)).length }
}
