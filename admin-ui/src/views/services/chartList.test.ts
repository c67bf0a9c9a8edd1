import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import en from '../../locales/en.json'
import ja from '../../locales/ja.json'
import { CACHE_CHARTS, HOST_CHARTS, INDEX_CHARTS, MANAGEMENT_CHARTS, OUTSIDE_CHARTS } from './chartList'

const catalogue = parse(readFileSync(join(import.meta.dirname, '../../../../src/main/resources/indices/catalogue.yaml'), 'utf8')) as { indices: { name: string }[] } | { name: string }[]
const known = new Set((Array.isArray(catalogue) ? catalogue : catalogue.indices).map((each) => each.name))
const all = [...INDEX_CHARTS, ...OUTSIDE_CHARTS, ...HOST_CHARTS, ...CACHE_CHARTS, ...MANAGEMENT_CHARTS]

describe('charts', () => {
  it('everyChart_hasATitleInBothLanguages', () => {
    for (const chart of all) {
      expect((en.charts as Record<string, string>)[chart.id], chart.id).toBeTypeOf('string')
      expect((ja.charts as Record<string, string>)[chart.id], chart.id).toBeTypeOf('string')
    }
  })

  it('everyLine_isAnIndexOfTheCatalogue', () => {
    for (const chart of all) for (const name of chart.indices) expect(known.has(name), name).toBe(true)
  })
})
