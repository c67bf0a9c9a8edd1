// The panel of the second factor: set-up with the first code, recovery codes shown once, removal where it is allowed.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import { english as en } from '../../../test/texts'

const [get, post, put, remove] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()]
vi.mock('../../api/client', async (original) => ({
  ...(await original<object>()),
  api: { GET: (...given: unknown[]) => get(...given), POST: (...given: unknown[]) => post(...given), PUT: (...given: unknown[]) => put(...given), DELETE: (...given: unknown[]) => remove(...given) },
}))

const { session } = await import('../../shell/session')
const { default: SecondFactorPanel } = await import('./SecondFactorPanel.vue')

const SESSION = { user: { name: 'ann', role: 'viewer' as const, lastLogin: null }, csrfToken: '', version: '' }
const CODES = ['aaaa-bbbb-cccc-dddd', 'eeee-ffff-gggg-hhhh']
const answer = (data: unknown) => ({ data, response: { ok: true, status: 200 } })
const state = (over: object = {}) => ({ since: null, recoveryCodesLeft: 0, required: false, now: new Date().toISOString(), ...over })

async function panel(of: object) {
  session.value = SESSION
  get.mockImplementation((path: string) => Promise.resolve(answer(path.endsWith('second-factor') ? of : SESSION)))
  const made = mount(SecondFactorPanel, {
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  await flushPromises()
  return made
}

describe('SecondFactorPanel', () => {
  beforeEach(() => [get, post, put, remove].forEach((each) => each.mockReset()))

  it('setUp_firstCode_showsTheRecoveryCodesOnce', async () => {
    const made = await panel(state())
    post.mockResolvedValue(answer({ secret: 'GEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Komainu:ann', until: '' }))
    await made.get('[data-set-up]').trigger('click')
    await flushPromises()
    expect(made.get('[data-totp-secret]').text()).toContain('GEZD GNBV GY3T QOJQ')

    put.mockResolvedValueOnce({ error: { type: 'urn:komainu:problem:code-refused', title: '', status: 400 }, response: { ok: false, status: 400 } })
    await made.get('[name=first-code]').setValue('000000')
    await made.get('[data-second-factor-form]').trigger('submit')
    await flushPromises()
    expect(made.get('[data-second-factor-form] [role=alert]').text()).toContain('The code is wrong')

    put.mockResolvedValueOnce(answer({ recoveryCodes: CODES }))
    await made.get('[name=first-code]').setValue('123456')
    await made.get('[data-second-factor-form]').trigger('submit')
    await flushPromises()
    expect(put.mock.calls[1]![1].body).toEqual({ code: '123456' })
    expect(made.findAll('[data-recovery-codes] li').map((each) => each.text())).toEqual(CODES)

    await made.get('[data-kept]').trigger('click')
    await flushPromises()
    expect(made.find('[data-recovery-codes]').exists()).toBe(false)
    expect(get.mock.calls.map(([path]) => path)).toContain('/api/v1/session')
  })

  it('secondFactor_withFewCodes_warnsAndOffersNewOnes', async () => {
    const made = await panel(state({ since: '2026-11-28T10:00:00Z', recoveryCodesLeft: 3 }))
    expect(made.get('.notice.warn').text()).toContain('Few recovery codes')
    post.mockResolvedValue(answer({ recoveryCodes: CODES }))
    await made.get('[data-renew]').trigger('click')
    await flushPromises()
    expect(post.mock.calls[0]![0]).toBe('/api/v1/session/second-factor/recovery-codes')
    expect(made.text()).toContain(CODES[0])
  })

  it('secondFactor_thatIsRequired_isReplacedButNotRemoved', async () => {
    const made = await panel(state({ since: '2026-11-28T10:00:00Z', recoveryCodesLeft: 10, required: true }))
    expect(made.find('[data-replace]').exists()).toBe(true)
    expect(made.find('[data-remove-second-factor]').exists()).toBe(false)
    expect(made.find('.notice.warn').exists()).toBe(false)
  })

  it('removal_isConfirmed_beforeTheRequest', async () => {
    const made = await panel(state({ since: '2026-11-28T10:00:00Z', recoveryCodesLeft: 10 }))
    remove.mockResolvedValue(answer(undefined))
    await made.get('[data-remove-second-factor]').trigger('click')
    expect(remove).not.toHaveBeenCalled()
    await made.get('[data-confirm]').trigger('click')
    await flushPromises()
    expect(remove.mock.calls[0]![0]).toBe('/api/v1/session/second-factor')
  })
})
