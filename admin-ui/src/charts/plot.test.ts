import { describe, expect, it } from 'vitest'
import { wholeLabels } from './plot'

describe('wholeLabels', () => {
  it('wholeLabels_lastOneWouldBeCutOff_isLeftOut', () => {
    expect(wholeLabels(['06:53:00', '06:53:30', '06:54:00'], [240, 120, 4])).toEqual(['06:53:00', '06:53:30', ''])
  })

  it('wholeLabels_shortLabelNearTheEdge_stays', () => {
    expect(wholeLabels(['06:55', '07:00'], [90, 12])).toEqual(['06:55', '07:00'])
  })
})
