import { describe, expect, it } from 'vitest'
import { localInput, shifted, zoomedOut } from './range'
import { usesRange } from './router'

describe('range', () => {
  it.each([
    [-1, { from: 4_000, to: 6_000 }],
    [1, { from: 7_000, to: 9_000 }],
  ] as const)('shifted_%i_keepsTheLengthAndStaysInThePast', (direction, expected) => {
    expect(shifted({ from: 6_000, to: 8_000 }, direction, 9_000)).toEqual({ kind: 'fixed', ...expected })
  })

  it('zoomedOut_isTwiceAsLong', () => {
    expect(zoomedOut({ from: 6_000, to: 8_000 }, 20_000)).toEqual({ kind: 'fixed', from: 5_000, to: 9_000 })
    expect(zoomedOut({ from: 6_000, to: 8_000 }, 8_000)).toEqual({ kind: 'fixed', from: 4_000, to: 8_000 })
  })

  it('localInput_isReadAsTheSameInstant', () => {
    for (const millis of [Date.UTC(2026, 2, 29, 0, 59, 58), Date.UTC(2026, 10, 27, 12)]) expect(Date.parse(localInput(millis))).toBe(millis)
  })

  it('usesRange_isDecidedByPageAndTab', () => {
    const meta = { title: 'x', range: true, timeless: ['settings'] }
    expect(usesRange({ meta, params: { tab: 'indices' } })).toBe(true)
    expect(usesRange({ meta, params: { tab: '' } })).toBe(true)
    expect(usesRange({ meta, params: { tab: 'settings' } })).toBe(false)
    expect(usesRange({ meta: { title: 'x' }, params: {} })).toBe(false)
  })
})
