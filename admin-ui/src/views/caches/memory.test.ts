import { describe, expect, it } from 'vitest'
import { memoryParts } from './memory'

const figures = { cacheBodyBytes: 50, cacheHeapBytes: 20, cacheMovingBytes: 10, cacheBudgetBytes: 100 }

describe('memoryParts', () => {
  it('memoryParts_belowTheCap_leaveTheRestFree', () => {
    const parts = memoryParts(figures)
    expect(parts.map((each) => [each.part, each.bytes])).toEqual([['bodies', 50], ['heap', 20], ['moving', 10], ['free', 20]])
    expect(parts.map((each) => each.from)).toEqual([0, 0.5, 0.7, expect.closeTo(0.8)])
    expect(parts.reduce((sum, each) => sum + each.share, 0)).toBeCloseTo(1)
  })

  it('memoryParts_aboveTheCap_leaveNothingFree', () => {
    const parts = memoryParts({ ...figures, cacheMovingBytes: 60 })
    expect(parts[3]).toMatchObject({ part: 'free', bytes: 0, share: 0 })
    expect(parts[2]!.from + parts[2]!.share).toBeCloseTo(1)
  })

  it('memoryParts_notTold_areNone', () => {
    expect(memoryParts({ cacheBudgetBytes: 100 })).toEqual([])
    expect(memoryParts({})).toEqual([])
  })
})
