// What the console shows of an index comes from the catalogue, by REST. The console's own lists may name only indices of the
// catalogue, and the contract does not repeat the names.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import en from '../../locales/en.json'
import ja from '../../locales/ja.json'
import { CACHE_CHARTS, HOST_CHARTS, INDEX_CHARTS, MANAGEMENT_CHARTS, OUTSIDE_CHARTS } from './chartList'

const read = (path: string): any => parse(readFileSync(join(import.meta.dirname, '../../../..', path), 'utf8'))
const known = new Set<string>(read('src/main/resources/indices/catalogue.yaml').indices.map((each: { name: string }) => each.name))
const all = [...INDEX_CHARTS, ...OUTSIDE_CHARTS, ...HOST_CHARTS, ...CACHE_CHARTS, ...MANAGEMENT_CHARTS]

describe('charts', () => {
  it('everyChart_ofSeveralIndices_hasATitleInBothLanguages', () => {
    for (const chart of all.filter((each) => each.indices.length > 1)) {
      expect((en.charts as Record<string, string>)[chart.id], chart.id).toBeTypeOf('string')
      expect((ja.charts as Record<string, string>)[chart.id], chart.id).toBeTypeOf('string')
    }
  })

  it('everyLine_isAnIndexOfTheCatalogue', () => {
    for (const chart of all) for (const name of chart.indices) expect(known.has(name), name).toBe(true)
  })

  it('everyShortLabel_isOfAnIndexOfTheCatalogue', () => {
    for (const name of [en.series, ...Object.values(en.seriesOf)].flatMap((labels) => Object.keys(labels))) expect(known.has(name), name).toBe(true)
  })
})

describe('contract', () => {
  it('definitionOfAnIndex_doesNotRepeatTheNames', () => {
    const { name } = read('docs/api/openapi.yaml').components.schemas.IndexDefinition.properties
    expect([...known].filter((index) => name.description.includes(index))).toEqual([])
  })
})
