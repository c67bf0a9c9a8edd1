// The server of the telemetry: its figures, what its version does not tell, an outage, and its own logs.
import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import { english as en } from '../../../test/texts'
import type { ClickHouse } from '../../api/types'
import ServerPanel from './ServerPanel.vue'

const figures: NonNullable<ClickHouse['figures']> = {
  at: '2026-11-29T10:00:00Z',
  version: '18.16.1',
  bytes: 3 << 20,
  tables: [
    { name: 'connections', bytes: 2 << 20, parts: 12, mostParts: 7 },
    { name: 'runs', bytes: 1 << 20, parts: 1, mostParts: 1 },
  ],
  disk: null,
  partsLimit: 300,
  partsLimitTold: true,
  merges: 0,
  longestMergeSeconds: 0,
  members: [],
}
const stores: ClickHouse = {
  address: 'http://127.0.0.1:8123/komainu',
  condition: 'storing',
  since: null,
  reason: null,
  oldestWaitingSeconds: 0,
  figures,
  failures: [],
  logs: { bound: false, setting: 'komainu.records.bound-logs', mostBytes: 1 << 30, keptDays: 7, dropped: 0, failure: null, tables: [] },
}

function shown(server: Partial<ClickHouse>) {
  return mount(ServerPanel, { props: { server: { ...stores, ...server } }, global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })
}

it('serverThatStores_showsTablesAndTheirSum_andSaysWhatItsVersionDoesNotTell', () => {
  const panel = shown({})
  expect(panel.find('[data-outage]').exists()).toBe(false)
  expect(panel.find('[data-no-disk]').text()).toBe('not told by this version')
  expect(panel.findAll('[data-table]').map((row) => row.text())).toEqual([expect.stringMatching(/Connections.*2 MiB.*12.*7/), expect.stringMatching(/Bookkeeping.*1 MiB/)])
  expect(panel.find('[data-total]').text()).toMatch(/3 MiB.*13.*7/)
  expect(panel.find('[data-limit]').classes()).not.toContain('crowded')
  expect(panel.find('[data-no-failures]').exists()).toBe(true)
  expect(panel.find('[data-no-logs]').exists()).toBe(true)
})

it('diskThatIsTold_isShownAsAShare', () => {
  expect(shown({ figures: { ...figures, disk: { freeBytes: 1 << 20, totalBytes: 4 << 20 } } }).find('[data-disk]').text()).toMatch(/1 MiB of 4 MiB free \(25/)
})

it('manyParts_areMarked', () => {
  const panel = shown({ figures: { ...figures, tables: [{ name: 'windows', bytes: 1, parts: 150, mostParts: 150 }] } })
  expect(panel.find('[data-limit]').classes()).toContain('crowded')
})

it('serverThatIsAway_saysSinceWhenAndWhy_alsoBeforeAnyMeasurement', () => {
  const since = new Date(Date.now() - 125_000).toISOString()
  const panel = shown({ condition: 'away', since, reason: 'ClickHouse: no response within 15000 ms', figures: null, oldestWaitingSeconds: 4 })
  expect(panel.find('[data-condition]').text()).toContain('away')
  expect(panel.find('[data-outage]').text()).toMatch(/2 min.*no response within 15000 ms/)
  expect(panel.find('[data-no-figures]').exists()).toBe(true)
  expect(panel.find('[data-oldest]').text()).toBe('has waited 4 s')
})

it('members_eachSaysWhetherItHasEveryRow_aSingleServerHasNone', () => {
  expect(shown({}).find('[data-member]').exists()).toBe(false)
  const since = new Date(Date.now() - 125_000).toISOString()
  const complete = { address: 'https://a:8443/k', shard: 's0', replica: 'r0', failure: null, isReadOnly: false, waiting: 0, delaySeconds: 0, since: null }
  const members = [
    complete,
    { ...complete, address: 'https://b:8443/k', failure: 'ClickHouse: cannot be reached', since },
    { ...complete, address: 'https://c:8443/k', waiting: 3, delaySeconds: 65, since },
    { ...complete, address: 'https://d:8443/k', isReadOnly: true, since },
  ]
  expect(
    shown({ figures: { ...figures, members } })
      .findAll('[data-member]')
      .map((row) => row.text()),
  ).toEqual([expect.stringMatching(/a:8443.*s0.*r0.*complete/), expect.stringMatching(/b:8443.*no response.*2 min.*cannot be reached/), expect.stringMatching(/c:8443.*copies 3 parts, 1 min/), expect.stringMatching(/d:8443.*no ZooKeeper/)])
})

it('failures_areListedByKindWithTheTextOfTheLast', () => {
  const panel = shown({ failures: [{ kind: 'state', count: 3, lastAt: '2026-11-29T10:00:00Z', lastText: 'Code: 252, Too many parts' }] })
  expect(panel.find('[data-kind="state"]').text()).toMatch(/3.*Too many parts/)
})

it('logs_theirSettingIsNamed_andWhatIsDropped', () => {
  const tables = [{ name: 'query_log', bytes: 1 << 20, partitions: 2, oldest: '2026-10-31' }]
  const free = shown({ logs: { ...stores.logs, tables } })
  expect(free.find('[data-setting]').text()).toBe('komainu.records.bound-logs=false')
  expect(free.find('[data-log="query_log"]').text()).toMatch(/1 MiB.*2.*2026-10-31/)
  const bound = shown({ logs: { ...stores.logs, tables, bound: true, dropped: 4, failure: 'not allowed' } })
  expect(bound.find('[data-logs]').text()).toMatch(/after 7 days.*1 GiB.*start: 4/)
  expect(bound.find('[data-logs-failure]').text()).toContain('not allowed')
})
