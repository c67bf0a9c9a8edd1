import { describe, expect, it } from 'vitest'
import { clockOffset, countdown, secondsLeft } from './countdown'

const NOON = Date.parse('2026-11-28T12:00:00Z')
const iso = (millis: number): string => new Date(millis).toISOString()

describe('clockOffset', () => {
  it('serviceAhead_isPositive_behindIsNegative', () => {
    expect(clockOffset('Sat, 28 Nov 2026 12:05:00 GMT', NOON)).toBe(300_500)
    expect(clockOffset('Sat, 28 Nov 2026 11:55:00 GMT', NOON)).toBe(-299_500)
  })

  it.each([null, '', 'soon'])('date %j counts as no difference', (date) => {
    expect(clockOffset(date, NOON)).toBe(0)
  })
})

describe('secondsLeft', () => {
  it('browserClockOffByAnHour_doesNotCount', () => {
    const expires = iso(NOON + 600_000)
    for (const off of [-3_600_000, 0, 3_600_000]) {
      const browser = NOON + off
      expect(secondsLeft(expires, -off, browser)).toBe(600)
    }
  })

  it('lastPartOfASecond_isStillASecond_andTheEndIsNone', () => {
    expect(secondsLeft(iso(NOON + 1), 0, NOON)).toBe(1)
    expect(secondsLeft(iso(NOON), 0, NOON)).toBe(0)
    expect(secondsLeft(iso(NOON - 5_000), 0, NOON)).toBe(-5)
  })
})

describe('countdown', () => {
  it.each([
    [600, '10:00'],
    [581, '9:41'],
    [60, '1:00'],
    [9, '0:09'],
    [0, '0:00'],
    [-3, '0:00'],
    [3600, '60:00'],
  ])('%d s is %s', (seconds, text) => {
    expect(countdown(seconds)).toBe(text)
  })
})
