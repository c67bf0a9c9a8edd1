// The question for the password, asked by another dialog.
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../locales/en.json'
import ModalDialog from './ModalDialog.vue'
import PasswordAgain from './PasswordAgain.vue'
import { askPassword } from './passwordAgain'

it('question_standsAboveTheDialogThatAsks', async () => {
  const plugins = [createI18n({ legacy: false, locale: 'en', messages: { en } })]
  const frame = mount(PasswordAgain, { global: { plugins }, attachTo: document.body })
  await flushPromises()
  const asking = mount(ModalDialog, { props: { open: true, title: 'Asks' }, attachTo: document.body })
  await flushPromises()
  const answer = askPassword()
  await flushPromises()
  const dialogs = [...document.querySelectorAll('[role=dialog]')]
  expect(dialogs).toHaveLength(2)
  expect(dialogs.at(-1)!.querySelector('[data-password-again]')).not.toBeNull()
  dialogs.at(-1)!.querySelector<HTMLButtonElement>('button[type=button]')!.click()
  expect(await answer).toBe(false)
  asking.unmount()
  frame.unmount()
})
