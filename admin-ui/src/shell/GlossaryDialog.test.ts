import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../locales/en.json'
import ja from '../locales/ja.json'
import GlossaryDialog from './GlossaryDialog.vue'

const shown = (locale: 'en' | 'ja') =>
  mount(GlossaryDialog, {
    props: { open: true },
    global: {
      plugins: [createI18n({ legacy: false, locale, messages: { en, ja } })],
      stubs: { ModalDialog: { template: '<div><slot /></div>' } },
    },
  })

describe('glossary dialog', () => {
  it.each([['en', en], ['ja', ja]] as const)('terms_%s_areThoseOfTheLocale', (locale, messages) => {
    const names = shown(locale).findAll('[data-glossary-terms] dt').map((each) => each.text())
    expect(names.sort()).toEqual(Object.values(messages.glossary.term).map((each) => each.name).sort())
  })
})
