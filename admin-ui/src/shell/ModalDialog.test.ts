// A press outside of a dialog closes it, unless the dialog shows what cannot be shown again.
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ModalDialog from './ModalDialog.vue'

async function pressedOutside(firm: boolean): Promise<boolean> {
  const dialog = mount(ModalDialog, { props: { open: true, title: 'Secret', firm }, attachTo: document.body })
  await flushPromises()
  // The listener for presses outside starts in the next task, so that the press that opened the dialog does not close it.
  await new Promise((resolve) => setTimeout(resolve))
  document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
  await flushPromises()
  const closed = dialog.emitted('update:open')?.some(([open]) => open === false) ?? false
  dialog.unmount()
  return closed
}

it('pressOutside_closesTheDialog_butNotAFirmOne', async () => {
  expect(await pressedOutside(false)).toBe(true)
  expect(await pressedOutside(true)).toBe(false)
})
