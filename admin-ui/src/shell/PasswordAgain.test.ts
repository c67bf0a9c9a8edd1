// The question for the password: with the code of a user with a second factor, and without one of the others.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../locales/en.json'

const put = vi.fn()
vi.mock('../api/client', async (original) => ({ ...(await original<object>()), api: { PUT: (...given: unknown[]) => put(...given) } }))

const { askPassword } = await import('./passwordAgain')
const { session } = await import('./session')
const { default: PasswordAgain } = await import('./PasswordAgain.vue')

async function opened(secondFactor: boolean) {
  session.value = { user: { name: 'admin', role: 'administrator', lastLogin: null, secondFactor }, csrfToken: '', version: '' }
  const made = mount(PasswordAgain, {
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  const confirmed = askPassword()
  await flushPromises()
  await made.get('[name=password-again]').setValue('secret')
  return { made, confirmed }
}

const refused = (type: string) => ({ error: { type: `urn:komainu:problem:${type}`, title: type, status: 400 }, response: { ok: false, status: 400 } })

beforeEach(() => put.mockReset())

it('userWithoutSecondFactor_isAskedForThePasswordOnly', async () => {
  const { made, confirmed } = await opened(false)
  expect(made.find('[name=code-again]').exists()).toBe(false)
  put.mockResolvedValue({ data: undefined, response: { ok: true, status: 204 } })
  await made.get('form').trigger('submit')
  expect(await confirmed).toBe(true)
  expect(put.mock.calls[0]![1].body).toEqual({ password: 'secret' })
})

it('userWithSecondFactor_isAskedForTheCodeToo_andHearsWhichOfThemIsWrong', async () => {
  const { made, confirmed } = await opened(true)
  await made.get('[name=code-again]').setValue('111111')
  put.mockResolvedValueOnce(refused('code-refused')).mockResolvedValueOnce(refused('invalid-request'))
  await made.get('form').trigger('submit')
  await flushPromises()
  expect(made.get('[role=alert]').text()).toContain('The code is wrong')
  await made.get('form').trigger('submit')
  await flushPromises()
  expect(made.get('[role=alert]').text()).toContain('The password is wrong')

  put.mockResolvedValueOnce({ data: undefined, response: { ok: true, status: 204 } })
  await made.get('[name=code-again]').setValue('222222')
  await made.get('form').trigger('submit')
  expect(await confirmed).toBe(true)
  expect(put.mock.calls[2]![1].body).toEqual({ password: 'secret', code: '222222' })
})
