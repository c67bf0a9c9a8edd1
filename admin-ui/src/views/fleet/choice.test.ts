import { describe, expect, it } from 'vitest'
import type { State } from '../../api/types'
import type { Row } from '../../shell/fleet'
import { choiceOf, filtered, queryOf, sorted } from './choice'

const row = (id: string, state: State = 'normal', more: Partial<Row> = {}, arrival: number | null = 1): Row =>
  ({ id, name: `Name of ${id}`, addresses: [`10.0.0.1:${id}`], kind: 'nginx', state, since: '2026-11-28T00:00:00Z', node: null, labels: {}, summary: { arrivalPerSecond: arrival }, ...more }) as Row
const ids = (rows: Row[]): string[] => rows.map((each) => each.id)

describe('choice', () => {
  it('everyPart_survivesTheAddress', () => {
    const query = { state: 'stopped,saturated', kind: 'nginx', label: 'team=shop', text: 'shop 80', sort: '-response', view: 'map', page: '3' }
    expect(queryOf(choiceOf(query))).toEqual(query)
  })

  it('unknownValues_countAsAbsent', () => {
    expect(queryOf(choiceOf({ state: 'odd', sort: 'colour', view: 'globe', page: '-4' }))).toEqual({})
  })

  it('filters_mustAllHold', () => {
    const rows = [row('a', 'stopped/crashed'), row('b', 'stopped/crashed', { kind: 'apache' }), row('c')]
    expect(ids(filtered(rows, choiceOf({})))).toEqual(['a', 'b', 'c'])
    expect(ids(filtered(rows, choiceOf({ state: 'stopped' })))).toEqual(['a', 'b'])
    expect(ids(filtered(rows, choiceOf({ state: 'stopped', kind: 'apache' })))).toEqual(['b'])
    expect(ids(filtered(rows, choiceOf({ text: 'NAME 10.0.0.1:c' })))).toEqual(['c'])
    const labelled = [row('a', 'normal', { labels: { team: 'shop', tier: 'web' } }), row('b', 'normal', { labels: { team: 'shop' } }), row('c')]
    expect(ids(filtered(labelled, choiceOf({ label: 'team=shop' })))).toEqual(['a', 'b'])
    expect(ids(filtered(labelled, choiceOf({ label: 'team=shop,tier=web' })))).toEqual(['a'])
    expect(ids(filtered(labelled, choiceOf({ text: 'tier=web' })))).toEqual(['a'])
  })

  it('order_keepsProblemsInFront_andRowsWithoutTheFigureLast', () => {
    const rows = [row('bad', 'saturated/cpu', {}, 5), row('worse', 'stopped/crashed', {}, 9), row('few', 'normal', {}, 1), row('many', 'normal', {}, 100), row('none', 'normal', {}, null)]
    expect(ids(sorted(rows, null, false))).toEqual(['bad', 'worse', 'few', 'many', 'none'])
    expect(ids(sorted(rows, 'arrival', true))).toEqual(['worse', 'bad', 'many', 'few', 'none'])
    expect(ids(sorted(rows, 'arrival', false))).toEqual(['bad', 'worse', 'few', 'many', 'none'])
  })
})
