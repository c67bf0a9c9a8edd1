import { describe, expect, it } from 'vitest'
import { dayIn, localWeek, leastFirst, ticks, when, wordOf } from './capacity'

describe('capacity', () => {
  it('when_everyKindOfReach_isOneWord', () => {
    expect(when(null)).toBe('unknown')
    expect(when({ days: 0, earliest: 0, latest: 3 })).toBe('now')
    expect(when({ days: 30, earliest: 10, latest: null })).toBe('later')
    expect(when({ days: null, earliest: null, latest: null })).toBe('far')
  })

  it('dayIn_days_areCalendarDays', () => {
    expect(dayIn(31, Date.UTC(2026, 10, 21, 12), 'en')).toBe('2026-12-22')
  })

  it('leastFirst_unknownHeadroom_comesLast', () => {
    const of = (service: string, headroom: number | null) => ({ service, headroom }) as never
    expect(leastFirst([of('a', null), of('b', 0.5), of('c', 0.1), of('d', null)]).map((each) => each.service)).toEqual(['c', 'b', 'a', 'd'])
  })

  it('ticks_anyRange_areRoundAndFew', () => {
    expect(ticks(100)).toEqual([0, 25, 50, 75, 100])
    expect(ticks(0.37)[1]).toBeCloseTo(0.1)
    expect(ticks(0)).toEqual([0])
    for (const most of [0.003, 7, 99, 12_345]) expect(ticks(most).length).toBeLessThanOrEqual(6)
  })

  it('localWeek_hoursOfUtc_areTurnedByTheOffset', () => {
    const week = Array.from({ length: 168 }, (_, i) => i)
    expect(localWeek(week, 0)[0]).toBe(0)
    expect(localWeek(week, 540)[9]).toBe(0)
    expect(localWeek(week, -300)[0]).toBe(5)
  })

  it('wordOf_hyphens_becomeHumps', () => {
    expect(wordOf('accept-queue')).toBe('acceptQueue')
    expect(wordOf('memory-does-not-follow-the-load')).toBe('memoryDoesNotFollowTheLoad')
  })
})
