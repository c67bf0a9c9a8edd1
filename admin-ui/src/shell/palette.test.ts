import { describe, expect, it } from 'vitest'
import { found, MOST_OF_A_KIND, type PaletteItem, type PaletteKind } from './palette'

const item = (kind: PaletteKind, name: string, detail = ''): PaletteItem => ({ key: `${kind} ${name}`, kind, name, detail, to: '/' })

describe('palette', () => {
  it('words_inAnyOrderAndCase_findNameAndDetail', () => {
    const items = [item('service', 'apache :80', 'web-01'), item('service', 'nginx :80', 'web-01'), item('page', 'Alerts')]
    expect(found(items, 'WEB apa')).toEqual([['service', [items[0]]]])
  })

  it('nameThatBeginsWithTheText_comesFirst', () => {
    const items = [item('page', 'My alerts'), item('page', 'Rules', 'alerts'), item('page', 'Alerts')]
    expect(found(items, 'alerts')[0]![1].map((each) => each.name)).toEqual(['Alerts', 'My alerts', 'Rules'])
  })

  it('noText_offersSomeOfEveryKindInOrder', () => {
    const items = [...Array.from({ length: 20 }, (_, i) => item('change', `c${i}`)), item('page', 'Alerts')]
    const groups = found(items, ' ')
    expect(groups.map(([kind, list]) => [kind, list.length])).toEqual([
      ['page', 1],
      ['change', MOST_OF_A_KIND],
    ])
  })

  it('nothingFits_isEmpty', () => {
    expect(found([item('page', 'Alerts')], 'zzz')).toEqual([])
  })
})
