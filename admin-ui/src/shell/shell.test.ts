import { describe, expect, it } from 'vitest'
import type { LocationQuery } from 'vue-router'
import { familyCounts, picture } from '../charts/statePicture'
import { sparkline } from '../charts/sparkline'
import { meaning } from './keyboard'
import { rangeOf, rangeQuery } from './range'

describe('range', () => {
  it('rangeOf_whatRangeQueryWrote_isTheSameRange', () => {
    for (const range of [{ kind: 'live', seconds: 3600 }, { kind: 'fixed', from: 1_000_000, to: 2_000_000 }] as const) {
      expect(rangeOf(rangeQuery(range) as unknown as LocationQuery)).toEqual(range)
    }
  })

  it('rangeOf_nonsense_isNothing', () => {
    const queries: LocationQuery[] = [{}, { range: '-5' }, { range: 'x' }, { from: 'x', to: 'y' }, { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }]
    for (const query of queries) {
      expect(rangeOf(query)).toBeNull()
    }
  })
})

describe('keyboard', () => {
  const shortcuts = { '?': () => {}, 'g o': () => {} }
  it('meaning_secondKeyOfASequence_needsTheFirst', () => {
    expect(meaning(shortcuts, 'g', 'o')).toBe('g o')
    expect(meaning(shortcuts, null, 'o')).toBeNull()
    expect(meaning(shortcuts, 'x', '?')).toBe('?')
  })
})

describe('state picture', () => {
  it('picture_bothShapes_holdEveryStateInside', () => {
    for (const shape of [picture(false), picture(true)]) {
      expect(shape.states).toHaveLength(14)
      for (const box of shape.states) {
        expect(box.x + box.width).toBeLessThanOrEqual(shape.width)
        expect(box.y + box.height).toBeLessThanOrEqual(shape.height)
      }
    }
  })

  it('picture_bothShapes_leaveRoomForTheNameOfEachGroup', () => {
    for (const shape of [picture(false), picture(true)]) {
      for (const group of shape.groups) {
        for (const box of shape.states.filter((each) => each.state.startsWith(group.family))) {
          expect(box.y).toBeGreaterThanOrEqual(group.y + 26)
          expect(box.y + box.height).toBeLessThan(group.y + group.height)
        }
      }
    }
  })

  it('familyCounts_transitionsOfOneFamily_areSummed', () => {
    const counts = familyCounts([
      { from: 'normal', to: 'saturated/cpu', count: 2, lastCause: 'a' },
      { from: 'normal', to: 'saturated/disk', count: 1 },
    ])
    expect(counts.get('normal>saturated')).toEqual({ count: 3, lastCause: 'a' })
  })
})

describe('sparkline', () => {
  it('sparkline_gap_breaksTheLine', () => {
    expect(sparkline([1, 2, null, 3, 4], 40, 20).paths).toHaveLength(2)
  })

  it('sparkline_fewerValuesThanPoints_standAtTheRight', () => {
    expect(sparkline([1, 2], 59, 20, null, 60).paths[0]).toMatch(/^M58 .*L59 /)
  })

  it('sparkline_nothingKnown_drawsNothing', () => {
    expect(sparkline([null, null], 40, 20, 5)).toMatchObject({ paths: [] })
  })

  it('sparkline_thresholdAboveAllValues_staysInside', () => {
    const shape = sparkline([1, 2], 40, 20, 10)
    expect(shape.threshold).toBeGreaterThanOrEqual(0)
    expect(shape.threshold).toBeLessThan(20)
  })
})
