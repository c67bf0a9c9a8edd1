// The two steps of a login, and the texts of refused codes.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const [post, push] = [vi.fn(), vi.fn()]
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { POST: (...given: unknown[]) => post(...given) } }))
vi.mock('vue-router', async (original) => ({ ...(await original<object>()), useRoute: () => ({ query: { next: '/alerts' } }), useRouter: () => ({ push }) }))

const { session } = await import('../../shell/session')
const { default: LoginPage } = await import('./LoginPage.vue')

const NONE = { user: null, pendingLogin: null, csrfToken: '', version: '' }
const ADMIN = { user: { name: 'admin', role: 'administrator', lastLogin: null, secondFactor: true }, pendingLogin: null, csrfToken: 'x', version: '' }
const waiting = (now = new Date()) => ({ ...NONE, pendingLogin: { until: new Date(now.getTime() + 300_000).toISOString(), now: now.toISOString() } })
const answer = (data: unknown) => ({ data, response: { ok: true, status: 200 } })
const refused = (type: string) => ({ error: { type: `urn:komainu:problem:${type}`, title: type, status: 401, detail: 'details of the server' }, response: { ok: false, status: 401 } })

function page() {
  return mount(LoginPage, {
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { GatePage: { template: '<div><slot /></div>' }, ClearTextNotice: true },
    },
  })
}

async function give(made: ReturnType<typeof page>, code: string) {
  await made.get('[name=code]').setValue(code)
  await made.get('[data-code]').trigger('submit')
  await flushPromises()
}

describe('LoginPage', () => {
  beforeEach(() => {
    ;[post, push].forEach((each) => each.mockReset())
    session.value = NONE
  })

  it('login_ofAUserWithoutSecondFactor_opensTheWantedPage', async () => {
    const made = page()
    post.mockResolvedValue(answer({ ...ADMIN, user: { ...ADMIN.user, secondFactor: false } }))
    await made.get('[name=name]').setValue('admin')
    await made.get('[name=password]').setValue('secret')
    await made.get('[data-login]').trigger('submit')
    await flushPromises()
    expect(push).toHaveBeenCalledWith('/alerts')
    expect(made.find('[data-code]').exists()).toBe(false)
  })

  it('login_withSecondFactor_asksForTheCodeBeforeAnyPage', async () => {
    const made = page()
    post.mockResolvedValueOnce(answer(waiting()))
    await made.get('[name=name]').setValue('admin')
    await made.get('[name=password]').setValue('secret')
    await made.get('[data-login]').trigger('submit')
    await flushPromises()
    expect(push).not.toHaveBeenCalled()
    expect(made.find('[data-login]').exists()).toBe(false)

    post.mockResolvedValueOnce(answer(ADMIN))
    await give(made, '123 456')
    expect(post.mock.calls[1]).toEqual(['/api/v1/session/code', { body: { code: '123 456' } }])
    expect(push).toHaveBeenCalledWith('/alerts')
  })

  it('pendingLogin_afterAReload_isStillThere', () => {
    session.value = waiting()
    expect(page().find('[data-code]').exists()).toBe(true)
  })

  it.each([
    ['code-refused', 'The code is wrong'],
    ['code-used', 'used before'],
    ['codes-exhausted', 'Only a recovery code'],
    ['second-factor-unreadable', 'cannot check codes'],
  ])('code_%s_saysWhatToDo_andStaysInTheSecondStep', async (type, text) => {
    session.value = waiting()
    const made = page()
    post.mockResolvedValue(refused(type))
    await give(made, '000000')
    expect(made.get('[role=alert]').text()).toContain(text)
    expect(made.get<HTMLInputElement>('[name=code]').element.value).toBe('')
  })

  it('code_afterTheEndOfTheLogin_leadsBackToThePassword', async () => {
    session.value = waiting()
    const made = page()
    post.mockResolvedValue(refused('login-ended'))
    await give(made, '000000')
    expect(made.find('[data-login]').exists()).toBe(true)
    expect(made.get('[role=alert]').text()).toContain('The login has ended')
  })

  it('clocks_thatDifferByADay_areToldBeforeTheCode', () => {
    session.value = waiting(new Date(Date.now() - 86_400_000))
    expect(page().get('[data-clock]').text()).toContain('1 d')
    session.value = waiting()
    expect(page().find('[data-clock]').exists()).toBe(false)
  })

  it('recoveryCode_isAskedForWithAKeyboardOfLetters', async () => {
    session.value = waiting()
    const made = page()
    expect(made.get('[name=code]').attributes('inputmode')).toBe('numeric')
    await made.get('[data-recovery]').trigger('click')
    expect(made.get('[name=code]').attributes('inputmode')).toBe('text')
    expect(made.get('label').text()).toContain('Recovery code')
  })
})
