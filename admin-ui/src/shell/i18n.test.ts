import { expect, it } from 'vitest'
import en from '../locales/settings.en.json'
import ja from '../locales/settings.ja.json'
import { i18n, setLanguage, withTexts } from './i18n'

const text = (): string => i18n.global.t('users.lastLogin')

it('textsOfAnArea_comeWithItsPage_alsoInALanguageThatIsShownLater', async () => {
  await setLanguage('en')
  expect(text()).toBe('users.lastLogin')

  expect(await withTexts('settings', () => Promise.resolve('page'))).toBe('page')
  expect(text()).toBe(en.users.lastLogin)

  await setLanguage('ja')
  expect(text()).toBe(ja.users.lastLogin)
})
