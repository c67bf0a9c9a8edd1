// The demo from the alarm to the verdict: Overview → Diagnose → Apply → Confirm → verified, as hands do it.
//
//   node e2e/demo-journey.mjs --base URL --password PW [--user NAME] [--new-password PW] [--by mouse|keyboard] [--width 1440] [--height 900]
//                             [--browser chromium|firefox] [--read SECONDS] [--patience SECONDS] [--shots DIR]
//
// --read: the time for which the answer is read before Apply is pressed (default 25).
// By mouse: presses at coordinates, and only when every scroll container stands at its start and the whole target is in sight. By keyboard:
// Tab and Enter only. The last line is JSON: the service, its state, the change, and the seconds from the start of the journey to each step.
// Exit code 1 when a step fails or the verdict is not "improved". Changes a real server: its agent must allow changes.
// Only what the pages of Playwright (Chromium) and Puppeteer (Firefox) have in common is used.
// Decision: docs/decisions/0108-firefox-by-puppeteer.md
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHROMIUM, context, launch } from './chromium.mjs'
import { logIn } from './login.mjs'

const { values: given } = parseArgs({
  options: {
    base: { type: 'string' },
    user: { type: 'string', default: 'admin' },
    password: { type: 'string' },
    'new-password': { type: 'string' },
    by: { type: 'string', default: 'mouse' },
    width: { type: 'string', default: '1440' },
    height: { type: 'string', default: '900' },
    browser: { type: 'string', default: 'chromium' },
    read: { type: 'string', default: '25' },
    patience: { type: 'string', default: '300' },
    shots: { type: 'string' },
  },
})
if (!given.base || !given.password || !['mouse', 'keyboard'].includes(given.by) || !['chromium', 'firefox'].includes(given.browser)) {
  console.error('usage: node e2e/demo-journey.mjs --base URL --password PW [--user NAME] [--new-password PW] [--by mouse|keyboard] [--width N] [--height N] [--browser chromium|firefox] [--read SECONDS] [--patience SECONDS] [--shots DIR]')
  process.exit(2)
}
if (given.shots) mkdirSync(given.shots, { recursive: true })
const MOST_TABS = 120
const SETTLING_SECONDS = 12
const fresh = given['new-password'] ?? `${given.password}-changed-once`
const viewport = { width: Number(given.width), height: Number(given.height) }
const began = Date.now()
const seconds = {}
let pictures = 0

async function open() {
  if (given.browser === 'chromium') {
    const browser = await launch(CHROMIUM)
    return { browser, page: await (await context(browser, { viewport })).newPage() }
  }
  const { default: puppeteer } = await import('puppeteer-core')
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true, defaultViewport: viewport })
  return { browser, page: await browser.newPage() }
}

const { browser, page } = await open()

const find = (selector, timeout = Number(given.patience) * 1000) => page.waitForSelector(selector, { timeout, visible: true })
const attribute = (selector, name) => page.evaluate(([where, what]) => document.querySelector(where)?.getAttribute(what) ?? null, [selector, name])

const pause = (length) => new Promise((done) => setTimeout(done, length * 1000))

function reached(step) {
  seconds[step] = Math.round((Date.now() - began) / 1000)
  console.log(`${seconds[step]} s  ${step}`)
}

/** A picture of what is in sight. */
async function shot(name) {
  pictures += 1
  if (given.shots) await page.screenshot({ path: join(given.shots, `${pictures}-${name}.png`) })
}

/** The middle of a target. Throws an error when something is scrolled, or a part of the target is not in sight. */
async function inSight(what, selector) {
  const seen = await page.evaluate((where) => {
    const element = document.querySelector(where)
    // The drawing beside the answer is at its leaf by itself; nobody must scroll it.
    const scrolled = [document.scrollingElement, ...document.querySelectorAll('body *:not(.strip)')].filter((each) => each.scrollTop > 0)
    const box = element.getBoundingClientRect()
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
    const top = document.elementFromPoint(middle.x, middle.y)
    return {
      middle,
      scrolled: scrolled.map((each) => `${each.tagName.toLowerCase()}.${each.className}`),
      box: [box.left, box.top, box.right, box.bottom].map(Math.round),
      free: box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && top !== null && element.contains(top),
    }
  }, selector)
  if (seen.scrolled.length > 0) throw new Error(`${what}: scrolled: ${seen.scrolled.join(', ')} (expected: nothing)`)
  if (!seen.free) throw new Error(`${what}: box ${seen.box.join(' ')} of ${given.width} × ${given.height} (expected: wholly in sight, and not covered)`)
  return seen.middle
}

async function pressAtCoordinates(what, selector) {
  const { x, y } = await inSight(what, selector)
  await page.mouse.click(x, y)
}

/** Goes to the target by Tab, as a reader without a mouse does, and presses Enter. */
async function pressByKeyboard(what, selector) {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await page.evaluate((where) => document.querySelector(where) === document.activeElement, selector)) {
      await page.keyboard.press('Enter')
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`${what}: not reached by ${MOST_TABS} Tabs`)
}

async function press(what, selector) {
  await find(selector)
  await (given.by === 'mouse' ? pressAtCoordinates : pressByKeyboard)(what, selector)
}

async function journey() {
  await logIn(page, { base: given.base, user: given.user, password: given.password, fresh })
  const entry = '[data-entry]:has([data-diagnose])'
  await find(entry)
  reached('incident on the overview')
  // What fails first may be felt, not the root; the root is named within seconds and takes the first place.
  await pause(SETTLING_SECONDS)
  const service = await attribute(`${entry} [data-service]`, 'data-service')
  const state = await attribute(`${entry} [data-state]`, 'data-state')
  await shot('overview')

  await press('Diagnose', `${entry} [data-diagnose]`)
  await find('[data-apply]')
  reached('answer')
  await shot('answer')

  // Verification compares with the time before: a reader has read the page by then.
  await pause(Number(given.read))
  await press('Apply', '[data-apply]')
  await find('[role=dialog] [data-confirm-apply]')
  const change = await page.evaluate(() => document.querySelectorAll('[role=dialog] dd')[1]?.textContent.replace(/\s+/g, ' ').trim() ?? '')
  await shot('confirm')
  await press('Confirm', '[role=dialog] [data-confirm-apply]')
  await find('[data-order=done]')
  reached('applied')
  await find('[data-verification][data-phase=done] [data-run-verdict]')
  const verdict = await attribute('[data-verification] [data-run-verdict]', 'data-run-verdict')
  reached('verdict')
  await shot('verdict')
  if (verdict !== 'improved') throw new Error(`verdict: ${verdict} (expected: improved)`)
  return { service, state, change, verdict, by: given.by, browser: given.browser, size: `${given.width}×${given.height}`, seconds }
}

let code = 0
try {
  console.log(JSON.stringify(await journey()))
} catch (error) {
  code = 1
  const shown = await page.evaluate(() => document.querySelector('main')?.innerText ?? '').catch((cause) => cause.message)
  console.log(`FAIL  ${error.message}\n${page.url()} shows: ${shown.replace(/\s+/g, ' ').slice(0, 1_500)}`)
  await shot('failed').catch(() => null)
} finally {
  await browser.close()
}
process.exit(code)
