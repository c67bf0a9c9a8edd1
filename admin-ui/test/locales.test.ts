// Both languages are complete, every key in the pages exists, and pages name no texts of other pages.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { areas, english as allEnglish, firstLoad, japanese as allJapanese } from './texts'

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
const keysOf = (tree: Tree): string[] => leaves(tree).map(([key]) => key).sort()
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

  it('textsOfSinglePages_haveTheSameKeysInBothLanguages_andStandInNoOtherFile', () => {
    for (const { texts: own, others } of areas) expect(keysOf(others)).toEqual(keysOf(own))
    const all = [firstLoad, ...areas.map((area) => area.texts)].flatMap(keysOf)
    expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([])
  })

  it('textsOfSinglePages_areNamedOnlyByCodeThatIsLoadedWithThem', () => {
    // Other code would show the key instead of the text until one of these pages was opened.
    const names = (text: string, key: string): boolean => ["'", '"', '`'].some((quote) => text.includes(quote + key + quote)) || text.includes(`\`${key.slice(0, key.lastIndexOf('.'))}.\${`)
    const elsewhere = areas.flatMap((area) => sources.flatMap((path, index) => (area.code(path) ? [] : keysOf(area.texts).filter((key) => names(texts[index]!, key)).map((key) => `${path}: ${key}`))))
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
