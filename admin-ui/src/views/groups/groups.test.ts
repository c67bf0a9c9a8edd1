import { describe, expect, it } from 'vitest'
import { chosenKey, clueFigure, SHADES, shades } from './groups'

describe('groups', () => {
  it('shades_ofValuesOverThreeDecades_spreadOverTheScale', () => {
    expect(shades([[1, 1000], [null, 31.7]])).toEqual([[0, SHADES - 1], [null, 3]])
  })

  it('shades_ofEqualValues_areAllPale', () => {
    expect(shades([[20, 20, null]])).toEqual([[0, 0, null]])
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
  })
})
