import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { ClusterLine } from '../../api/types'
import { english as en } from '../../../test/texts'
import LinesTable from './LinesTable.vue'

const line = (to: string, more: Partial<ClusterLine> = {}): ClusterLine => ({
  from: 'a', to, connections: 4, streams: 0, waiting: 0, rttMillis: 1, lossShare: 0, sentBytesPerSecond: 0, receivedBytesPerSecond: 0, requestsPerSecond: 1, lost: 1,
  failure: 'nobody listens there (connection refused)', carrier: 'tcp', downSince: null, ...more,
})
const shown = (...lines: ClusterLine[]) => mount(LinesTable, { props: { lines }, global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })

describe('lines', () => {
  it('lineIsUp_itsLastFailure_isNotShown', () => {
    expect(shown(line('b')).get('[data-down]').text()).toBe('')
  })

  it('lineIsDown_saysSinceWhenAndWhy_orWhatIsKnown', () => {
    const table = shown(
      line('b', { connections: 0, downSince: '2026-11-22T10:00:00Z' }),
      line('c', { connections: 0 }),
      line('d', { connections: 0, failure: '' }),
    )
    const words = table.findAll('[data-down]').map((each) => each.text())
    expect(words[0]).toMatch(/^since 2026-11-22 .*: nobody listens there/)
    expect(words.slice(1)).toEqual(['nobody listens there (connection refused)', 'connecting'])
  })

  it('columnsWhoseNamesDoNotSayAll_areExplainedUnderTheSameName', () => {
    const table = shown(line('b'))
    const heads = table.findAll('thead th').map((each) => each.text())
    const explained = table.findAll('[data-column-help] dt').map((each) => each.text())
    expect(explained).toContain('Retransmitted')
    expect(explained.filter((name) => !heads.includes(name))).toEqual([])
  })

  it('carrier_isShown_alsoWhereNobodyTellsIt', () => {
    const cells = shown(line('b', { carrier: 'quic' }), line('c', { carrier: null })).findAll('tbody tr').map((row) => row.findAll('td')[2]!.text())
    expect(cells).toEqual(['QUIC', '–'])
  })
})
