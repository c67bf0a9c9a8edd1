// Checks of every page: WCAG 2.2 AA by axe, no sideways scroll, no console messages, no untranslated key, no missing glyph.
import { readFileSync } from 'node:fs'
import AxeModule from '@axe-core/playwright'

const AxeBuilder = AxeModule.default ?? AxeModule
/** Message keys begin with one of these. */
const ROOTS = ['en.json', 'caches.en.json', 'clusters.en.json', 'settings.en.json'].flatMap((name) => Object.keys(JSON.parse(readFileSync(new URL(`../src/locales/${name}`, import.meta.url), 'utf8'))))
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Throws an error with all violations, each with its rule and first elements. */
export async function accessible(page) {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  if (violations.length === 0) return
  const lines = violations.map((each) => {
    const places = each.nodes.slice(0, 3).map((node) => `${node.target.join(' ')}: ${(node.failureSummary ?? '').split('\n').slice(1, 3).join(' ').trim()}`)
    return `${each.id} (${each.nodes.length}×) ${each.help}\n      ${places.join('\n      ')}`
  })
  throw new Error(`axe: ${violations.length} violations (expected: 0)\n    ${lines.join('\n    ')}`)
}

export async function noSidewaysScroll(page) {
  const over = await page.evaluate(() => {
    const root = document.documentElement
    const extra = root.scrollWidth - root.clientWidth
    if (extra <= 0) return null
    const wide = [...document.querySelectorAll('body *')].find((each) => {
      const box = each.getBoundingClientRect()
      return box.width > 0 && box.right > root.clientWidth + 1 && !each.closest('.table-frame, [data-flowchart], .tabs')
    })
    return { extra, wide: wide ? `${wide.tagName.toLowerCase()}.${String(wide.getAttribute('class') ?? '').replaceAll(' ', '.')}` : '?' }
  })
  if (over) throw new Error(`page is ${over.extra} px wider than the window (expected: 0), widest: ${over.wide}`)
}

/** Fails on a message key in the page, which means a missing translation. */
export async function translated(page, language) {
  const found = await page.evaluate((roots) => {
    const key = new RegExp(`^(${roots.join('|')})\\.[\\w.-]+$`)
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const keys = []
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent.trim()
      const inCode = walker.currentNode.parentElement?.closest('code, pre, script, style, [data-audit] td')
      if (!inCode && key.test(text)) keys.push(text)
    }
    return { keys, lang: document.documentElement.lang }
  }, ROOTS)
  if (found.keys.length > 0) throw new Error(`untranslated: ${found.keys.join(', ')}`)
  if (found.lang !== language) throw new Error(`html lang: ${found.lang} (expected: ${language})`)
}

/** Throws an error if a character of the page has a glyph in no installed font: the reader sees a box. */
export async function everyGlyph(page) {
  const missing = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 40
    const drawing = canvas.getContext('2d', { willReadFrequently: true })
    drawing.font = `20px ${getComputedStyle(document.body).fontFamily}`
    const picture = (character) => {
      drawing.clearRect(0, 0, 40, 40)
      drawing.fillText(character, 4, 28)
      return drawing.getImageData(0, 0, 40, 40).data.join()
    }
    // Characters that no font has: the last code points for private use. Fonts differ in the box that stands for a missing glyph.
    const boxes = new Set(['\u{10FFFC}', '\u{10FFFD}'].map(picture))
    return [...new Set(document.body.innerText)].filter((character) => character.trim() !== '' && boxes.has(picture(character)))
  })
  if (missing.length > 0) throw new Error(`no glyph for ${missing.join(' ')} (expected: a font that has them, such as fonts-noto-cjk)`)
}

/** Collects errors of the browser; {@link take} returns and clears them. */
export function listen(page) {
  let complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.type()}: ${message.text()} ${message.location()?.url ?? ''}`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  return {
    take(allowed = /^$/) {
      const taken = complaints.filter((each) => !allowed.test(each))
      complaints = []
      if (taken.length > 0) throw new Error(`browser console (expected: silent)\n    ${taken.join('\n    ')}`)
    },
  }
}
