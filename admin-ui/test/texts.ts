// All texts of the console: those of the first load together with those that are loaded with single pages.
import en from '../src/locales/en.json'
import ja from '../src/locales/ja.json'
import settingsEn from '../src/locales/settings.en.json'
import settingsJa from '../src/locales/settings.ja.json'

type Tree = { [key: string]: string | Tree }

function merged<One extends Tree, Other extends Tree>(one: One, other: Other): One & Other {
  const all: Tree = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const before = all[key]
    all[key] = typeof before === 'object' && typeof value === 'object' ? merged(before, value) : value
  }
  return all as One & Other
}

export const english = merged(en, settingsEn)
export const japanese = merged(ja, settingsJa)
