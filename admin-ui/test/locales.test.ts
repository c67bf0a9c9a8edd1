// Both languages are complete, every key in the pages exists, and pages name no texts of other pages.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import en from '../src/locales/en.json'
import settingsEn from '../src/locales/settings.en.json'
import settingsJa from '../src/locales/settings.ja.json'
import { english as allEnglish, japanese as allJapanese } from './texts'

type Tree = { [key: string]: string | Tree }

function leaves(tree: Tree, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : leaves(value, `${path}${key}.`),
  )
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : /\.(vue|ts)$/.test(name) && !name.includes('.test.') ? [path] : []
  })
}

const english = new Map(leaves(allEnglish))
const japanese = new Map(leaves(allJapanese))
const ofSettings = new Set(leaves(settingsEn).map(([key]) => key))
const sources = filesBelow(join(import.meta.dirname, '../src')).filter((path) => !path.endsWith('schema.d.ts'))
const texts = sources.map((path) => readFileSync(path, 'utf8'))

/** Returns the keys that occur twice in one object of the JSON text. */
function repeated(json: string): string[] {
  const open: Set<string>[] = []
  const twice: string[] = []
  for (const [token, key] of json.matchAll(/"((?:[^"\\]|\\.)*)"\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (key !== undefined) {
      if (open.at(-1)?.has(key)) twice.push(key)
      open.at(-1)?.add(key)
    }
  }
  return twice
}

/** Names of the placeholders; a plural form may leave one out. */
const slots = (message: string): string[] => [...new Set([...message.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!))].sort()

describe('locales', () => {
  it('japanese_everyEnglishKey_isTranslated', () => {
    expect([...english.keys()].filter((key) => !japanese.has(key))).toEqual([])
    expect([...japanese.keys()].filter((key) => !english.has(key))).toEqual([])
  })

  it('messages_exceptTheSilentAnswer_areNotEmpty', () => {
    for (const messages of [english, japanese]) {
      expect([...messages].filter(([key, text]) => text.trim() === '' && key !== 'verdict.next').map(([key]) => key)).toEqual([])
    }
  })

  it('messages_ofFormulas_haveNoSymbolWithAnUnderscore', () => {
    for (const messages of [english, japanese]) {
      expect([...messages].filter(([, text]) => /\b[A-Z]_[a-z]\b/.test(text)).map(([key]) => key)).toEqual([])
    }
  })

  it('keys_ofOneGroup_standOnce', () => {
    // JSON.parse uses the last of two equal keys without an error; the page of the first one then shows the wrong text.
    const folder = join(import.meta.dirname, '../src/locales')
    for (const name of readdirSync(folder)) {
      expect([name, repeated(readFileSync(join(folder, name), 'utf8'))]).toEqual([name, []])
    }
    expect(repeated('{"a": {"b": "x: {y}", "c": "1", "b": "2"}, "c": ""}')).toEqual(['b'])
  })

  it('textsOfTheSettingsPages_areOfTheSameKeysInBothLanguages_andInNoOtherFile', () => {
    expect(leaves(settingsJa).map(([key]) => key).sort()).toEqual([...ofSettings].sort())
    expect(leaves(en).map(([key]) => key).filter((key) => ofSettings.has(key))).toEqual([])
  })

  it('textsOfTheSettingsPages_areNamedOnlyByCodeThatIsLoadedWithThem', () => {
    // The others would show the key instead of the text until a settings page was opened.
    const loadedWith = (path: string): boolean => /views\/(settings|hosts)\/|SecondFactorPage\.vue$/.test(path) && !/SharedToken(Notice|Line)\.vue$/.test(path)
    const names = (text: string, key: string): boolean => new RegExp(`['"\`]${key.replaceAll('.', '\\.')}['"\`]`).test(text) || text.includes(`\`${key.split('.').slice(0, -1).join('.')}.\${`)
    const elsewhere = sources.flatMap((path, index) => (loadedWith(path) ? [] : [...ofSettings].filter((key) => names(texts[index]!, key)).map((key) => `${path}: ${key}`)))
    expect(elsewhere).toEqual([])
  })

  it('placeholders_inBothLanguages_areTheSame', () => {
    for (const [key, message] of english) {
      expect([key, slots(japanese.get(key) ?? '')]).toEqual([key, slots(message)])
    }
  })

  it('keysNamedInTheScreens_allExist', () => {
    const named = texts.flatMap((text) => [...text.matchAll(/\bt\(\s*'([\w.:-]+)'/g)].map((match) => match[1]!))
    expect(named.length).toBeGreaterThan(50)
    expect([...new Set(named)].filter((key) => !english.has(key))).toEqual([])
  })

  it('keysBuiltFromData_haveTheirPrefix', () => {
    const prefixes = texts.flatMap((text) => [...text.matchAll(/\bt\(\s*`([\w.]+)\.\$\{/g)].map((match) => match[1]!))
    const groups = new Set([...english.keys()].map((key) => key.split('.').slice(0, -1).join('.')))
    const known = (prefix: string): boolean => [...groups].some((group) => group === prefix || group.startsWith(`${prefix}.`))
    expect([...new Set(prefixes)].filter((prefix) => !known(prefix))).toEqual([])
  })
})
