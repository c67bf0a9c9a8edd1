import { describe, expect, it } from 'vitest'
import { ceiling, columnsOf, compared, wholeLabels } from './plot'

describe('wholeLabels', () => {
  it('wholeLabels_lastOneWouldBeCutOff_isLeftOut', () => {
    expect(wholeLabels(['06:53:00', '06:53:30', '06:54:00'], [240, 120, 4])).toEqual(['06:53:00', '06:53:30', ''])
  })

  it('wholeLabels_shortLabelNearTheEdge_stays', () => {
    expect(wholeLabels(['06:55', '07:00'], [90, 12])).toEqual(['06:55', '07:00'])
  })
})

describe('the value axis', () => {
  it('has room for a limit that is near', () => {
    expect(ceiling(50, [{ value: 100, label: '' }])).toBeCloseTo(108)
  })

  it('ignores a limit that would flatten the lines, and one below them', () => {
    expect(ceiling(50, [{ value: 201, label: '' }])).toBeCloseTo(54)
    expect(ceiling(50, [{ value: 10, label: '' }])).toBeCloseTo(54)
  })

  it('has a height without any value', () => {
    expect(ceiling(null, [])).toBe(1)
    expect(ceiling(0, [{ value: 5, label: '' }])).toBe(1)
  })
})

describe('the columns of a chart', () => {
  const lines = [
    { name: 'a', label: 'A', values: [1, 2] },
    { name: 'b', label: 'B', values: [3, 4], compared: [5, 6] },
  ]

  it('has the compared values behind all lines', () => {
    expect(columnsOf([10, 20], lines)).toEqual([[10, 20], [1, 2], [3, 4], [5, 6]])
    expect(compared(lines)).toEqual([1])
  })
})
