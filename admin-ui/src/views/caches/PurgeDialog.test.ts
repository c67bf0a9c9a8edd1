import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import { english as en } from '../../../test/texts'

const post = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { POST: (...given: unknown[]) => post(...given) } }))

const { default: PurgeDialog } = await import('./PurgeDialog.vue')

const result = (order: { dryRun?: boolean; soft?: boolean }) => ({ matched: 3, bytes: 3000, purged: order.dryRun ? 0 : 3, samples: ['h/a'], dryRun: !!order.dryRun, soft: !!order.soft, tookMicros: 1 })

async function opened() {
  const dialog = mount(PurgeDialog, {
    props: { open: false, service: 's:1', kind: 'prefix', value: 'h/img/' },
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' } },
    },
  })
  await dialog.setProps({ open: true })
  return dialog
}

describe('purge dialog', () => {
  beforeEach(() => {
    post.mockReset()
    post.mockImplementation(async (_path: string, given: { body: { dryRun?: boolean } }) => ({ data: result(given.body), response: { ok: true, status: 200 } }))
  })

  it('confirm_beforeCounting_isNotPossible', async () => {
    const dialog = await opened()
    expect(dialog.get('[data-confirm]').attributes('disabled')).toBeDefined()
    await dialog.get('form').trigger('submit')
    await flushPromises()
    expect(post.mock.calls[0]![1].body).toEqual({ prefix: 'h/img/', soft: false, dryRun: true })
    expect(dialog.get('[data-counted]').text()).toContain('3 objects')
    expect(dialog.get('[data-confirm]').attributes('disabled')).toBeUndefined()
  })

  it('order_changedAfterCounting_mustBeCountedAgain', async () => {
    const dialog = await opened()
    await dialog.get('form').trigger('submit')
    await flushPromises()
    await dialog.get('[name=purge-value]').setValue('h/')
    expect(dialog.find('[data-counted]').exists()).toBe(false)
    expect(dialog.get('[data-confirm]').attributes('disabled')).toBeDefined()
  })

  it('confirm_twice_isOneOrderUnderOneKey', async () => {
    const dialog = await opened()
    await dialog.get('form').trigger('submit')
    await flushPromises()
    void dialog.get('[data-confirm]').trigger('click')
    await dialog.get('[data-confirm]').trigger('click')
    await flushPromises()
    const orders = post.mock.calls.map((call) => call[1]).filter((each) => !each.body.dryRun)
    expect(new Set(orders.map((each) => each.params.header['Idempotency-Key'])).size).toBe(1)
    expect(dialog.get('[data-purged]').text()).toContain('3 objects purged')
    expect(dialog.emitted('purged')).toBeTruthy()
  })

  it('refusal_isTold', async () => {
    post.mockImplementation(async () => ({ error: { type: 't', title: 'x', status: 502, detail: 'no answer' }, response: { ok: false, status: 502 } }))
    const dialog = await opened()
    await dialog.get('form').trigger('submit')
    await flushPromises()
    expect(dialog.get('[role=alert]').text()).toContain('no answer')
    expect(dialog.get('[data-confirm]').attributes('disabled')).toBeDefined()
  })
})
