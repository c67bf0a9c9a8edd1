// The request of an edited rule keeps what the rule had.
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const put = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { PUT: (...given: unknown[]) => put(...given) } }))
vi.mock('../../shell/overview', () => ({ knownSelectors: () => ['team=shop'] }))

const { default: RuleDialog } = await import('./RuleDialog.vue')

const rule = { id: '7', version: 2, name: 'Shop', kind: 'service' as const, states: ['stopped'], service: null, label: 'team=shop', needed: 1, ofSeconds: 1, clearSeconds: 30, repeatHours: 4, severity: null, threshold: null, receivers: [], enabled: true }

it('edit_ofARuleWithLabels_keepsThem', async () => {
  put.mockResolvedValue({ data: rule, response: { ok: true, status: 200 } })
  const dialog = mount(RuleDialog, {
    props: { open: false, rule, receivers: [] },
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  await dialog.setProps({ open: true })
  expect(dialog.find<HTMLInputElement>('[name=rule-label]').element.value).toBe('team=shop')
  await dialog.find('[name=rule-name]').setValue('Shop by night')
  await dialog.find('form').trigger('submit')
  await flushPromises()

  expect(put.mock.calls[0]![1].body).toMatchObject({ name: 'Shop by night', label: 'team=shop', service: null })
})
