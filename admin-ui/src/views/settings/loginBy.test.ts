import { describe, expect, it } from 'vitest'
import { needsLogin, rests, tokensOf } from './loginBy'

const NOW = Date.parse('2026-11-28T10:00:00Z')
const DAY = 86_400_000
const token = (expiresDays: number, loginDays: number | null, createdBy = 'ann') => ({
  createdBy,
  expires: new Date(NOW + expiresDays * DAY).toISOString(),
  loginBy: loginDays === null ? null : new Date(NOW + loginDays * DAY).toISOString(),
})

describe('login of the owner', () => {
  it.each([
    ['of a local user', token(30, null), false, false],
    ['of an owner who logged in lately, and that ends before', token(30, 90), false, false],
    ['made with the default life, just after the login', token(90, 89.999), false, false],
    ['of an owner who must log in before its end', token(90, 20), false, true],
    ['of an owner who has not logged in', token(90, -1), true, false],
    ['that has expired', token(-1, -2), false, false],
  ])('token %s', (_name, one, resting, needed) => {
    expect([rests(one, NOW), needsLogin(one, NOW)]).toEqual([resting, needed])
  })

  it('tokensOfAUser_areCountedWithoutExpiredOnesAndThoseOfOthers', () => {
    expect(tokensOf([token(90, -1), token(90, 5), token(-1, -2), token(90, null, 'ben')], 'ann', NOW)).toEqual({ count: 2, resting: 1 })
  })
})
