// The requests of the labels' panel, and the labels that have no effect.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const [get, put, remove] = [vi.fn(), vi.fn(), vi.fn()]
vi.mock('../../api/client', async (original) => ({
  ...(await original<object>()),
  api: { GET: (...given: unknown[]) => get(...given), PUT: (...given: unknown[]) => put(...given), DELETE: (...given: unknown[]) => remove(...given) },
}))
vi.mock('../../shell/overview', () => ({ overview: () => ({ data: { value: null } }), labelsOf: () => ({}), nameOf: (id: string) => id, knownSelectors: () => [] }))

const { session } = await import('../../shell/session')
const { default: LabelsPanel } = await import('./LabelsPanel.vue')

const given = [
  { key: 'team', value: 'bank', origin: 'agent', source: 'labels.team', counts: false },
  { key: 'team', value: 'shop', origin: 'hand', source: 'admin', counts: true },
]
const answer = (data: unknown) => ({ data, response: { ok: true, status: 200 } })

async function panel(role: 'viewer' | 'administrator') {
  session.value = { user: { name: 'one', role, lastLogin: null }, csrfToken: '', version: '' }
  get.mockResolvedValue(answer(given))
  const made = mount(LabelsPanel, {
    props: { service: 's:1' },
    global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })], stubs: { RouterLink: { template: '<a><slot /></a>' } } },
  })
  await flushPromises()
  return made
}

describe('LabelsPanel', () => {
  beforeEach(() => [get, put, remove].forEach((each) => each.mockReset()))

  it('label_thatAnotherOverrules_saysSo_andOnlyThoseOfHandAreRemoved', async () => {
    const made = await panel('administrator')
    expect(made.find('[data-label="team=bank"]').text()).toContain('no effect')
    expect(made.find('[data-label="team=bank"] button').exists()).toBe(false)
    expect(made.find('[data-label="team=shop"]').text()).not.toContain('no effect')

    remove.mockResolvedValue(answer(given.slice(0, 1)))
    await made.find('[data-label="team=shop"] [data-remove-label]').trigger('click')
    await flushPromises()
    expect(remove.mock.calls[0]![1].params).toEqual({ path: { service: 's:1' }, query: { key: 'team' } })
    expect(made.find('[data-label="team=shop"]').exists()).toBe(false)
    expect(made.emitted('changed')).toHaveLength(1)
  })

  it('set_sendsKeyAndValueWithoutSpaces_andEmptiesTheFields', async () => {
    const made = await panel('administrator')
    put.mockResolvedValue(answer(given))
    await made.find('[name=label-key]').setValue(' tier ')
    await made.find('[name=label-value]').setValue('web ')
    await made.find('form').trigger('submit')
    await flushPromises()
    expect(put.mock.calls[0]![1].body).toEqual({ key: 'tier', value: 'web' })
    expect(made.find<HTMLInputElement>('[name=label-key]').element.value).toBe('')
  })

  it('viewer_seesLabels_andChangesNone', async () => {
    const made = await panel('viewer')
    expect(made.findAll('[data-label]')).toHaveLength(2)
    expect(made.find('form').exists()).toBe(false)
    expect(made.find('[data-remove-label]').exists()).toBe(false)
  })
})
