import { expect, it } from 'vitest'
import { clockDifference } from './clockDifference'

it.each([
  ['2026-11-28T10:00:00Z', 0],
  ['2026-11-28T10:00:30Z', 0],
  ['2026-11-28T10:00:31Z', 31],
  ['2026-11-28T09:59:29Z', -31],
  ['2026-11-29T10:00:00Z', 86_400],
])('service at %s, browser at ten: %i s', (service, expected) => {
  expect(clockDifference(service, Date.parse('2026-11-28T10:00:00Z'))).toBe(expected)
})
