import { describe, expect, it } from 'vitest'
import { cells, chosenKey, clueFigure, clueTime, edges, heatRange, SHADES, shades } from './groups'

describe('groups', () => {
  it('shades_ofValuesOverThreeDecades_spreadOverTheScale', () => {
    expect(shades([[1, 1000], [null, 31.7]])).toEqual([[0, SHADES - 1], [null, 3]])
  })

  it('shades_ofEqualValues_areAllPale', () => {
    expect(shades([[20, 20, null]])).toEqual([[0, 0, null]])
  })

  it('cells_ofOneShade_areOnePath_withoutUnmeasuredCells', () => {
    const paths = cells([0, null, 2, 0], 10, 16)
    expect(paths).toHaveLength(SHADES)
    expect(paths[0]).toBe('M0 0h10v16h-10zM30 0h10v16h-10z')
    expect(paths[1]).toBe('')
    expect(paths[2]).toBe('M20 0h10v16h-10z')
  })

  it('edges_areAtEqualDistances', () => {
    const bins = (count: number) => Array.from({ length: count }, (_, at) => ({ fromMillis: at, toMillis: at + 1 }))
    expect(edges(bins(24), 5)).toEqual([0, 6, 12, 18, 24])
    expect(edges(bins(9), 5)).toEqual([0, 2, 5, 7, 9])
    expect(edges(bins(2), 5)).toEqual([0, 1, 2])
  })

  it('heatRange_ofAllRows_leavesOutWhatWasNotMeasured', () => {
    expect(heatRange([[null, 3], [120, null]])).toEqual({ least: 3, most: 120 })
    expect(heatRange([[null], []])).toBeNull()
  })

  it('chosenKey_wantedOne_elseOneThatJoinsServices', () => {
    const keys = [
      { key: 'container', services: 4, values: ['a', 'b', 'c', 'd'] },
      { key: 'team', services: 4, values: ['shop', 'bank'] },
    ]
    expect(chosenKey(keys, 'container')).toBe('container')
    expect(chosenKey(keys, 'gone')).toBe('team')
    expect(chosenKey([], '')).toBe('')
  })

  it('clueFigure_inItsUnit', () => {
    const clue = { figure: 'response', unit: 'millis', value: 120, peersMedian: 15, peersLeast: 14, peersMost: 16, decisive: true } as const
    expect(clueFigure(clue, 120)).toBe('120 ms')
    expect(clueFigure({ ...clue, unit: 'share' }, 0.25)).toBe('25\u00a0%')
    expect(clueFigure({ ...clue, figure: 'limit', unit: 'count' }, 5120)).toBe('5,120')
  })

  it('clueTime_onlyOfSlowRequests', () => {
    const clue = { figure: 'slowResponses', unit: 'share', value: 0.6, peersMedian: 0.1, peersLeast: 0.1, peersMost: 0.2, longerThanMillis: 80, decisive: true } as const
    expect(clueTime(clue)).toBe('80 ms')
    expect(clueTime({ ...clue, figure: 'failures', longerThanMillis: undefined })).toBe('')
  })
})
