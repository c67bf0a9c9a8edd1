// The request of an edited receiver: without secrets that were left empty, with the version that was read.
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const put = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { PUT: (...given: unknown[]) => put(...given) } }))

const { default: ReceiverDialog } = await import('./ReceiverDialog.vue')

const receiver = {
  id: 'r1',
  version: 3,
  name: 'Operators',
  type: 'mail' as const,
  language: 'ja' as const,
  enabled: true,
  mail: { host: 'mail.example', port: 587, security: 'starttls' as const, user: 'komainu', passwordSet: true, from: 'k@example.com', to: ['a@example.com', 'b@example.com'] },
  url: null,
  secretSet: false,
  secretUnreadable: false,
  waiting: 0,
  dropped: 0,
  lastAttempt: null,
}

it('edit_passwordLeftEmpty_isNotSentAndTheSeenVersionIs', async () => {
  put.mockResolvedValue({ data: receiver, response: { ok: true, status: 200 } })
  const dialog = mount(ReceiverDialog, {
    props: { open: false, receiver },
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  await dialog.setProps({ open: true })
  expect(dialog.find<HTMLInputElement>('[name=mail-password]').element.value).toBe('')
  await dialog.find('[name=mail-to]').setValue('a@example.com, c@example.com')
  await dialog.find('form').trigger('submit')
  await flushPromises()

  expect(put).toHaveBeenCalledOnce()
  const [path, given] = put.mock.calls[0]!
  expect(path).toBe('/api/v1/receivers/{id}')
  expect(given.params).toEqual({ path: { id: 'r1' }, header: { 'If-Match': '"3"' } })
  expect(JSON.parse(JSON.stringify(given.body))).toEqual({
    name: 'Operators',
    type: 'mail',
    language: 'ja',
    enabled: true,
    mail: { host: 'mail.example', port: 587, security: 'starttls', user: 'komainu', from: 'k@example.com', to: ['a@example.com', 'c@example.com'] },
  })
})
