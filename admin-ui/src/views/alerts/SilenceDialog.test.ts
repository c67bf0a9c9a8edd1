// The request of a silence: services by pattern, by labels, or by both.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const post = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { POST: (...given: unknown[]) => post(...given) } }))
vi.mock('../../shell/overview', () => ({ knownSelectors: () => ['team=shop', 'tier=web'], labelsOf: () => ({}) }))

const { session } = await import('../../shell/session')
const { default: SilenceDialog } = await import('./SilenceDialog.vue')

async function opened() {
  const dialog = mount(SilenceDialog, {
    props: { open: false },
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  await dialog.setProps({ open: true })
  await dialog.find('[name=silence-reason]').setValue('Load test')
  return dialog
}

beforeEach(() => {
  post.mockReset()
  post.mockResolvedValue({ data: {}, response: { ok: true, status: 201 } })
})

it('silence_ofLabels_offersThoseOfTheFleet_andSendsTheSelector', async () => {
  const dialog = await opened()
  expect(dialog.findAll('datalist option').map((each) => each.attributes('value'))).toEqual(['team=shop', 'tier=web'])
  await dialog.find('[name=silence-label]').setValue(' team=shop ')
  await dialog.find('form').trigger('submit')
  await flushPromises()

  expect(post.mock.calls[0]![1].body).toMatchObject({ kind: 'silence', service: null, label: 'team=shop' })
})

it('silence_ofABoundOperator_beginsWithTheLabelsOfTheGroup', async () => {
  session.value = { user: { name: 'one', role: 'operator', lastLogin: null, group: 'team=shop' }, csrfToken: '', version: '' }
  const dialog = await opened()
  session.value = null
  expect(dialog.find<HTMLInputElement>('[name=silence-label]').element.value).toBe('team=shop')
})

it('maintenance_isOfOneService_andHasNoLabels', async () => {
  const dialog = await opened()
  await dialog.find('[name=silence-label]').setValue('team=shop')
  await dialog.find('[value=maintenance]').setValue(true)
  expect(dialog.find('[name=silence-label]').exists()).toBe(false)
  await dialog.find('[name=silence-service]').setValue('web-01:80')
  await dialog.find('form').trigger('submit')
  await flushPromises()

  expect(post.mock.calls[0]![1].body).toMatchObject({ kind: 'maintenance', service: 'web-01:80', label: null })
})
