import { describe, expect, it } from 'vitest'
import type { CachePools } from '../../api/types'
import { hitShare, poolParts, prefixes, targetAt } from './pools'

const pool = (bytes: number, unreferencedBytes = 0, more = {}) => ({ bytes, maximumBytes: 0, storedBytes: bytes, unreferencedBytes, entries: 1, evictions: 0, hits: 0, hitBytes: 0, misses: 0, ...more })
const pools = (more: Partial<CachePools> = {}): CachePools => ({
  mode: 'partition',
  priority: [],
  floorPercent: 20,
  dampingPercent: 20,
  wholeBytes: 1000,
  currentBytes: 200,
  targetBytes: 250,
  periods: 3,
  turnedAway: null,
  protected: pool(200, 50),
  normal: pool(600, 100),
  resettlement: { looked: 0, of: 0, moved: 0, done: true },
  ...more,
})

describe('pools', () => {
  it('parts_followEachOtherAndFillTheWhole', () => {
    const parts = poolParts(pools())
    expect(parts.map((each) => each.bytes)).toEqual([150, 50, 500, 100, 200])
    expect(parts.reduce((sum, each) => sum + each.share, 0)).toBeCloseTo(1)
    expect(parts[2]!.from).toBeCloseTo(0.2)
  })

  it('parts_moreInUseThanMayBe_stayWithinTheBar', () => {
    const parts = poolParts(pools({ wholeBytes: 500 }))
    expect(parts.at(-1)!.bytes).toBe(0)
    expect(parts.reduce((sum, each) => sum + each.share, 0)).toBeCloseTo(1)
  })

  it('target_ofOnePool_isNone', () => {
    expect(targetAt(pools())).toBeCloseTo(0.25)
    expect(targetAt(pools({ mode: 'single' }))).toBeNull()
  })

  it('hitShare_beforeTheFirstLookUp_isUnknown', () => {
    expect(hitShare(pool(0))).toBeNull()
    expect(hitShare(pool(0, 0, { hits: 3, misses: 1 }))).toBe(0.75)
  })

  it('prefixes_linesAreTrimmedAndEmptyOnesLeftOut', () => {
    expect(prefixes(' /shop/ \n\n/news/*\n')).toEqual(['/shop/', '/news/*'])
  })
})
