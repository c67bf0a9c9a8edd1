// The request for an enrolment code, and the answer of a service without TLS.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import { english as en } from '../../../test/texts'

const post = vi.fn()
vi.mock('../../api/client', async (original) => ({
  ...(await original<object>()),
  api: { POST: (...given: unknown[]) => post(...given) },
}))

const { default: CodeForm } = await import('./CodeForm.vue')

const code = { id: 'c1', code: 'https://h:1#s.f' }
const opened = (node = '') =>
  mount(CodeForm, { props: { wanted: { kinds: ['agent'], node } }, global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })

beforeEach(() => {
  post.mockReset().mockResolvedValue({ data: code, response: { ok: true, status: 201, headers: new Headers({ Date: 'Sat, 28 Nov 2026 10:00:00 GMT' }) } })
})

it('code_ofTheDefaults_isForOneAgentOfAnyHost', async () => {
  const form = opened()
  await form.find('form').trigger('submit')
  await flushPromises()
  expect(post.mock.calls[0]![1].body).toEqual({ kinds: ['agent'], node: null, networks: [], uses: 1, minutes: 10 })
  const [made] = form.emitted('made')![0] as [{ code: unknown; offset: number }]
  expect(made.code).toEqual(code)
  expect(Math.abs(Date.now() + made.offset - Date.parse('2026-11-28T10:00:00.500Z'))).toBeLessThan(5_000)
})

it('code_ofAHost_withNetworks_isSentAsTyped', async () => {
  const form = opened('web-01')
  await form.find('[value=probe]').setValue(true)
  await form.find('[value=agent]').setValue(false)
  await form.find('[name=code-networks]').setValue(' 192.0.2.0/24, 2001:db8::/64 ')
  await form.find('[name=code-minutes]').setValue(30)
  await form.find('form').trigger('submit')
  await flushPromises()
  expect(post.mock.calls[0]![1].body).toEqual({ kinds: ['probe'], node: 'web-01', networks: ['192.0.2.0/24', '2001:db8::/64'], uses: 1, minutes: 30 })
})

it('uses_followTheKinds_untilTheyAreChosen', async () => {
  const form = opened()
  const uses = () => form.find<HTMLInputElement>('[name=code-uses]').element.value
  await form.find('[value=proxy]').setValue(true)
  expect(uses()).toBe('2')
  await form.find('[name=code-uses]').setValue(7)
  await form.find('[value=organizer]').setValue(true)
  expect(uses()).toBe('7')
})

it('noKind_isAMistake_andSendsNothing', async () => {
  const form = opened()
  await form.find('[value=agent]').setValue(false)
  await form.find('form').trigger('submit')
  await flushPromises()
  expect(form.find('[role=alert]').text()).toBe(en.hosts.needKind)
  expect(post).not.toHaveBeenCalled()
})

it('serviceWithoutTls_tellsHowToGetIt', async () => {
  post.mockResolvedValue({ error: { type: 'urn:komainu:problem:tls-required', title: 'The service has no TLS', status: 409 }, response: { ok: false, status: 409 } })
  const form = opened()
  await form.find('form').trigger('submit')
  await flushPromises()
  expect(form.find('[data-needs-tls]').text()).toContain('./komainu up --listen 0.0.0.0')
  expect(form.emitted('made')).toBeUndefined()
})

it('otherConflict_isToldAsItIs', async () => {
  post.mockResolvedValue({ error: { type: 'urn:komainu:problem:conflict', title: 'Conflict', status: 409, detail: 'too many codes' }, response: { ok: false, status: 409 } })
  const form = opened()
  await form.find('form').trigger('submit')
  await flushPromises()
  expect(form.find('[data-needs-tls]').exists()).toBe(false)
  expect(form.find('[role=alert]').text()).toContain('too many codes')
})
