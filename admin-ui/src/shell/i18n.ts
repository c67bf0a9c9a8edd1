// English and Japanese, each loaded when it is selected; the texts of some pages are loaded with these pages. test/locales.test.ts checks that both languages are complete.
import { computed } from 'vue'
import { createI18n } from 'vue-i18n'
import type { Text } from '../api/types'
import { recall, remember } from './theme'

export type Language = 'en' | 'ja'
export const LANGUAGES: readonly Language[] = ['en', 'ja']

const KEY = 'komainu.language'

type Loaders = Record<Language, () => Promise<{ default: Record<string, unknown> }>>

const loaders: Loaders = {
  en: () => import('../locales/en.json'),
  ja: () => import('../locales/ja.json'),
}

/** Pages whose texts are files of their own: the first load does not need them. */
export type Area = 'caches' | 'clusters' | 'settings'

const areaLoaders: Record<Area, Loaders> = {
  caches: {
    en: () => import('../locales/caches.en.json'),
    ja: () => import('../locales/caches.ja.json'),
  },
  clusters: {
    en: () => import('../locales/clusters.en.json'),
    ja: () => import('../locales/clusters.ja.json'),
  },
  settings: {
    en: () => import('../locales/settings.en.json'),
    ja: () => import('../locales/settings.ja.json'),
  },
}

export const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: 'en', messages: {} })

function preferred(): Language {
  const stored = recall(KEY)
  if (stored === 'en' || stored === 'ja') return stored
  const first = (navigator.languages ?? [navigator.language]).find((each) => /^(en|ja)\b/.test(each))
  return first?.startsWith('ja') ? 'ja' : 'en'
}

export const language = computed<Language>(() => i18n.global.locale.value as Language)

/** Areas whose pages were opened; a language that is shown later needs their texts, too. */
const opened = new Set<Area>()
/** Areas that are loaded, each with its language. */
const loaded = new Set<string>()

async function loadArea(area: Area, value: Language): Promise<void> {
  const name = `${area}.${value}`
  if (loaded.has(name)) return
  const texts = await areaLoaders[area][value]()
  i18n.global.mergeLocaleMessage(value, texts.default as never)
  loaded.add(name)
}

/** Loads the code of a page together with the texts of its area. */
export async function withTexts<Code>(area: Area, code: () => Promise<Code>): Promise<Code> {
  opened.add(area)
  const [page] = await Promise.all([code(), loadArea(area, language.value)])
  return page
}

/** Shows the console in a language, without storing it. */
async function show(value: Language): Promise<void> {
  if (!(i18n.global.availableLocales as string[]).includes(value)) {
    i18n.global.setLocaleMessage(value, (await loaders[value]()).default as never)
  }
  await Promise.all([...opened].map((area) => loadArea(area, value)))
  i18n.global.locale.value = value as never
  document.documentElement.lang = value
}

/** Shows and stores a language that the user chose. */
export async function setLanguage(value: Language): Promise<void> {
  await show(value)
  remember(KEY, value)
}

/** Shows the stored language, else that of the browser. A guess is not stored: it must not outlive a change of the browser's language. */
export async function loadLanguage(): Promise<void> {
  await show(preferred())
}

/** Returns a server text in the selected language, without line breaks before a percent sign. It is rendered as text, never as markup. */
export function said(text: Text | null | undefined): string {
  return text ? text[language.value].replaceAll(' %', '\u00a0%') : ''
}
