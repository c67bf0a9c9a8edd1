import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const put = vi.fn()
const remove = vi.fn()
vi.mock('../../api/client', async (original) => ({
  ...(await original<object>()),
  api: { PUT: (...given: unknown[]) => put(...given), DELETE: (...given: unknown[]) => remove(...given) },
}))

const { default: ThresholdDialog } = await import('./ThresholdDialog.vue')

const condition = {
  measure: 'hostCpuIdleShare',
  title: { en: 'CPU idle', ja: 'CPU空き' },
  unit: 'share',
  comparison: '<' as const,
  windowSeconds: 5,
  passesUnknown: false,
  threshold: 0.1,
  standard: 0.1,
  most: 1,
  source: 'own',
  learntMillis: null,
  value: 0.5,
  met: false,
  override: null as null | { value: number; reason: string; by: string; at: string },
}

async function opened(override: typeof condition.override = null) {
  const dialog = mount(ThresholdDialog, {
    props: { open: false, service: 's:1', rule: 'cpu/busy', condition: { ...condition, override } },
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  await dialog.setProps({ open: true })
  return dialog
}

describe('threshold dialog', () => {
  beforeEach(() => {
    put.mockReset().mockImplementation(async () => ({ data: {}, response: { ok: true, status: 200 } }))
    remove.mockReset().mockImplementation(async () => ({ data: undefined, response: { ok: true, status: 204 } }))
  })

  it('share_isWrittenInPercent_andSentAsShare', async () => {
    const dialog = await opened()
    expect((dialog.get('[name=threshold-value]').element as HTMLInputElement).value).toBe('10')
    expect(dialog.get('[data-set]').attributes('disabled')).toBeDefined()
    await dialog.get('[name=threshold-value]').setValue('25')
    await dialog.get('[name=threshold-reason]').setValue('two cores are kept for a batch job')
    await dialog.get('form').trigger('submit')
    await flushPromises()
    expect(put.mock.calls[0]![1].body).toEqual({ rule: 'cpu/busy', measure: 'hostCpuIdleShare', value: 0.25, reason: 'two cores are kept for a batch job' })
    expect(dialog.emitted('changed')).toBeTruthy()
  })

  it('outOfRange_cannotBeSent', async () => {
    const dialog = await opened()
    await dialog.get('[name=threshold-reason]').setValue('because')
    await dialog.get('[name=threshold-value]').setValue('101')
    expect(dialog.get('[data-set]').attributes('disabled')).toBeDefined()
  })

  it('reset_isOfferedOnlyForOnesThatWereSet', async () => {
    expect((await opened()).find('[data-reset]').exists()).toBe(false)
    const dialog = await opened({ value: 0.25, reason: 'batch', by: 'ann', at: '2026-01-01T00:00:00Z' })
    await dialog.get('[data-reset]').trigger('click')
    await flushPromises()
    expect(remove.mock.calls[0]![1].params.query).toEqual({ rule: 'cpu/busy', measure: 'hostCpuIdleShare' })
  })

  it('refusal_isTold_andTheDialogStays', async () => {
    put.mockImplementation(async () => ({ error: { type: 't', title: 'x', status: 400, detail: 'value: 7 (expected: 0 to 1)' }, response: { ok: false, status: 400 } }))
    const dialog = await opened()
    await dialog.get('[name=threshold-reason]').setValue('because')
    await dialog.get('form').trigger('submit')
    await flushPromises()
    expect(dialog.get('[role=alert]').text()).toContain('expected: 0 to 1')
  })
})
