// Requirements on the sources from the server's Content-Security-Policy and from the safe display of foreign text.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import en from '../src/locales/en.json'
import { i18n } from '../src/shell/i18n'
import EvidenceList from '../src/views/services/EvidenceList.vue'

const room = join(import.meta.dirname, '..')

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : /\.(vue|ts|html)$/.test(name) && !name.endsWith('.d.ts') ? [path] : []
  })
}

const sources = [...filesBelow(join(room, 'src')), join(room, 'index.html')].map((path) => ({ path: relative(room, path), text: readFileSync(path, 'utf8') }))

describe('policy', () => {
  it('sources_inlineStyleScriptOrMarkup_areNowhere', () => {
    const forbidden = /v-html|innerHTML|outerHTML|insertAdjacentHTML|\sstyle="|\son[a-z]+="|eval\(|new Function/
    expect(sources.filter((each) => forbidden.test(each.text.replace(/\s@[\w.:-]+="/g, ' '))).map((each) => each.path)).toEqual([])
  })

  it('textFromTheServer_withMarkupInIt_isShownAsText', () => {
    i18n.global.setLocaleMessage('en', en as never)
    const hostile = '<img src=x onerror=alert(1)>'
    const list = mount(EvidenceList, {
      props: { evidence: [{ measurement: hostile, text: { en: hostile, ja: hostile }, source: 'packets', value: 1, unit: hostile }] },
      global: { plugins: [i18n] },
    })
    expect(list.text()).toContain(hostile)
    expect(list.find('img').exists()).toBe(false)
  })
})
