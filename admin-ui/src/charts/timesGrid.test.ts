import { describe, expect, it } from 'vitest'
import { extent, fromMicros, margin, parting, shade, type Cell } from './timesGrid'

const cell = (responseStep: number, transferStep: number, count: number): Cell => ({ responseStep, transferStep, count })

describe('extent', () => {
  it('takes whole decades around the steps', () => {
    expect(extent([9, 30])).toEqual({ from: 8, to: 32 })
  })
  it('shows two decades even of a single step', () => {
    expect(extent([20])).toEqual({ from: 8, to: 24 })
    expect(extent([3])).toEqual({ from: 0, to: 16 })
  })
})

describe('fromMicros', () => {
  it('counts eighths of decades', () => {
    expect(fromMicros(0)).toBe(1)
    expect(fromMicros(24)).toBe(1000)
    expect(fromMicros(4)).toBeCloseTo(3.162, 3)
  })
})

describe('shade', () => {
  it('grows with the order of magnitude and reaches both ends', () => {
    expect([1, 10, 100, 1000, 10_000].map((count) => shade(count, 10_000))).toEqual([1, 2, 3, 4, 5])
  })
  it('is darkest when every cell holds one', () => {
    expect(shade(1, 1)).toBe(5)
  })
})

describe('parting', () => {
  it('parts hits of a millisecond from misses of 200', () => {
    const found = parting([cell(22, 3, 30), cell(24, 3, 50), cell(26, 5, 30), cell(42, 30, 40), cell(43, 30, 50)])
    expect(found).toEqual({ until: 27, step: 42, share: 110 / 200 })
  })
  it('finds none in a single bell', () => {
    const bell = Array.from({ length: 21 }, (_, i) => cell(20 + i, 0, Math.round(1000 * Math.exp(-((i - 10) ** 2) / 18))))
    expect(parting(bell)).toBeNull()
  })
  it('finds none where there is one step or nothing', () => {
    expect(parting([])).toBeNull()
    expect(parting([cell(5, 1, 3), cell(5, 9, 3)])).toBeNull()
  })
})

describe('margin', () => {
  it('sums the other axis away and leaves out what is beyond', () => {
    expect(margin([cell(8, 1, 2), cell(8, 5, 3), cell(10, 1, 4), cell(99, 1, 7)], 'responseStep', { from: 8, to: 12 })).toEqual([5, 0, 4, 0])
  })
})
