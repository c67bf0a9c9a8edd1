// All texts of the console: those of the first load together with those that are loaded with single pages.
import cachesEn from '../src/locales/caches.en.json'
import cachesJa from '../src/locales/caches.ja.json'
import clustersEn from '../src/locales/clusters.en.json'
import clustersJa from '../src/locales/clusters.ja.json'
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

export const english = merged(merged(merged(en, cachesEn), clustersEn), settingsEn)
export const japanese = merged(merged(merged(ja, cachesJa), clustersJa), settingsJa)

/** Texts of the first load, which all code may use. */
export const firstLoad = en

/** Texts that are loaded with some pages, and the code that is loaded with them. */
export const areas = [
  { texts: cachesEn, others: cachesJa, code: (path: string) => path.includes('views/caches/') },
  { texts: clustersEn, others: clustersJa, code: (path: string) => path.includes('views/clusters/') },
  { texts: settingsEn, others: settingsJa, code: (path: string) => /views\/(settings|hosts|backups|telemetry)\/|SecondFactorPage\.vue$/.test(path) && !/SharedToken(Notice|Line)\.vue$/.test(path) },
]
