// A code that was made: its commands, the part that comes, and its end.
import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { shallowRef } from 'vue'
import { createI18n } from 'vue-i18n'
import type { CreatedEnrolmentCode, Part } from '../../api/types'
import { english as en } from '../../../test/texts'

const get = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { GET: (...given: unknown[]) => get(...given) } }))
vi.mock('../../shell/overview', () => ({ nameOf: (id: string) => `name of ${id}`, overview: () => ({ data: shallowRef({ services: [{ id: 'web-01:80', node: 'web-01' }, { id: 'web-02:80', node: 'web-02' }] }) }) }))

const { now } = await import('../../shell/live')
const { default: CodeShown } = await import('./CodeShown.vue')

const START = Date.parse('2026-11-28T10:00:00Z')
const code: CreatedEnrolmentCode = { id: 'c', code: 'https://h:1#s.f', kinds: ['agent', 'probe'], node: null, networks: [], uses: 1, used: 0, created: '2026-11-28T10:00:00Z', createdBy: 'admin', expires: '2026-11-28T10:10:00Z' }
const part: Part = { id: 'p', kind: 'agent', source: 'agent@web-01', node: 'web-01', networks: [], enrolled: '2026-11-28T10:00:30Z', code: 'c', certificateEnds: '2026-12-28T10:00:30Z', state: 'valid' }

let parts: Part[]
const shown = () =>
  mount(CodeShown, {
    props: { made: { code, offset: 0 } },
    global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })], stubs: { RouterLink: { props: ['to'], template: '<a :data-to="JSON.stringify(to)"><slot /></a>' } } },
  })

beforeEach(() => {
  vi.useFakeTimers({ now: START })
  now.value = START
  parts = []
  get.mockReset().mockImplementation(() => Promise.resolve({ data: { parts }, response: { ok: true, status: 200 } }))
})
afterEach(() => vi.useRealTimers())

it('commands_ofEachKind_haveTheQuotedCode', () => {
  const commands = shown().findAll('[data-command] code').map((each) => each.text())
  expect(commands).toHaveLength(2)
  for (const command of commands) expect(command).toContain("--enrol 'https://h:1#s.f'")
})

it('part_thatEnrols_isNamed_withItsServices_andTheCountdownGoes', async () => {
  const page = shown()
  now.value = START + 19_000
  await flushPromises()
  expect(page.find('[data-countdown]').text()).toBe('9:41')
  parts = [part]
  await vi.advanceTimersByTimeAsync(2_000)
  await flushPromises()
  expect(page.find('[data-arrived="agent@web-01"]').text()).toContain('web-01 is enrolled.')
  expect(page.findAll('[data-arrived] a').map((each) => each.text())).toEqual(['name of web-01:80', en.settings.sources])
  expect(page.find('[data-waiting]').exists()).toBe(false)
  expect(page.find('[data-again]').exists()).toBe(true)
  page.unmount()
})

it('codeThatNoPartUsed_ends_withAWayToAnotherOne', async () => {
  const page = shown()
  now.value = START + 600_000
  await flushPromises()
  expect(page.find('[data-code-ended]').text()).toBe(en.hosts.endedUnused)
  expect(page.find('[data-countdown]').exists()).toBe(false)
  await page.find('[data-again]').trigger('click')
  expect(page.emitted('again')).toHaveLength(1)
  page.unmount()
})
