// The page of stored days: forms with their ages, links for closed days only.
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { ClickHouse, TelemetryDays, TelemetryServer } from '../../api/types'
import { english as en } from '../../../test/texts'
import DaysSection from './DaysSection.vue'

const { get } = vi.hoisted(() => ({ get: vi.fn() }))
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { GET: get } }))

const none: TelemetryDays = { raw: { keptDays: 30, bytes: 0 }, minutes: { keptDays: 30, bytes: 0 }, hours: { keptDays: 1095, bytes: 0 }, kinds: ['connections', 'exchanges', 'windows', 'samples'], items: [] }

async function shown(days: TelemetryDays, server: TelemetryServer = { clickhouse: null }) {
  get.mockImplementation((path: string) => Promise.resolve({ data: path.endsWith('/server') ? server : days, response: { ok: true } }))
  const section = mount(DaysSection, { global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })
  await flushPromises()
  return section
}

it('forms_areShownWithTheirAges', async () => {
  const section = await shown(none)
  expect(section.findAll('[data-form]').map((row) => row.text())).toEqual([expect.stringContaining('30'), expect.stringContaining('30'), expect.stringContaining('1,095')])
  expect(section.find('[data-no-days]').exists()).toBe(true)
})

it('days_closedOnesHaveALinkForEachKind_theOpenOneNone', async () => {
  const section = await shown({
    ...none,
    items: [
      { day: '2026-11-22', closed: false, bytes: 1048576, rolledUp: false },
      { day: '2026-11-21', closed: true, bytes: 1048576, rolledUp: true },
    ],
  })
  expect(section.find('[data-day="2026-11-22"] [data-open]').exists()).toBe(true)
  expect(section.find('[data-day="2026-11-22"] a').exists()).toBe(false)
  const links = section.findAll('[data-day="2026-11-21"] a')
  expect(links.map((link) => link.attributes('href'))).toEqual(none.kinds.map((kind) => expect.stringMatching(new RegExp(`/api/v1/telemetry/days/2026-11-21/${kind}\\.parquet$`))))
})

it('telemetryOnAServer_showsTheServerAndNoDaysThatCannotBeExported', async () => {
  const logs = { bound: false, setting: 'komainu.records.bound-logs', mostBytes: 1, keptDays: 7, dropped: 0, failure: null, tables: [] }
  const clickhouse: ClickHouse = { address: 'http://127.0.0.1:8123/komainu', condition: 'storing', since: null, reason: null, oldestWaitingSeconds: 0, figures: null, failures: [], logs }
  const section = await shown(none, { clickhouse })
  expect(section.find('[data-server]').exists()).toBe(true)
  expect(section.find('[data-days]').exists()).toBe(false)
  expect(section.findAll('[data-form]').map((row) => row.attributes('data-form'))).toEqual(['raw', 'minutes'])
})
