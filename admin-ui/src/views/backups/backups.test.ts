import { expect, it } from 'vitest'
import { isOld, share } from './backups'

it('share_ofARun_isAtMostOneAndAbsentWithoutASize', () => {
  expect(share({ bytes: 25, expectedBytes: 100 })).toBe(0.25)
  expect(share({ bytes: 120, expectedBytes: 100 })).toBe(1)
  expect(share({ bytes: 0, expectedBytes: 0 })).toBeNull()
})

it('newestBackup_ofMoreThanAWeekOrNone_isOld', () => {
  const now = Date.parse('2026-11-28T10:00:00Z')
  expect(isOld('2026-11-22T10:00:00Z', now)).toBe(false)
  expect(isOld('2026-11-21T09:00:00Z', now)).toBe(true)
  expect(isOld(null, now)).toBe(true)
})
