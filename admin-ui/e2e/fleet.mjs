// The console with many services: what a tab costs on the wire, how fast the pages are, and whether they stay readable.
//
//   node e2e/fleet.mjs --base URL --user NAME --password PW [--new-password PW] [--seconds N] [--shots DIR] [--chromium PATH]
//
// Needs a central service with at least twelve services. Counts the bytes of a second event stream beside the overview's tab, then measures
// the first paint and the time from a click to the next frame. Prints one line of JSON. Exit code 1 if a page is not accessible, or if a
// figure is above its limit.
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accessible, everyGlyph, listen, noSidewaysScroll, translated } from './checks.mjs'
import { CHROMIUM, context as contextOf, launch } from './chromium.mjs'
import { logIn } from './login.mjs'

const { values: given } = parseArgs({
  options: {
    base: { type: 'string' },
    user: { type: 'string', default: 'admin' },
    password: { type: 'string' },
    'new-password': { type: 'string' },
    seconds: { type: 'string', default: '60' },
    shots: { type: 'string' },
    chromium: { type: 'string', default: CHROMIUM },
  },
})
if (!given.base || !given.password) {
  console.error('usage: node e2e/fleet.mjs --base URL --user NAME --password PW [--new-password PW] [--seconds N] [--shots DIR] [--chromium PATH]')
  process.exit(2)
}
const base = given.base.replace(/\/$/, '')
if (given.shots) mkdirSync(given.shots, { recursive: true })
const LIMITS = { kilobytesPerSecond: 100, paintMillis: 500, interactionMillis: 100 }
/** Time in which the whole fleet arrives. */
const FIRST_MILLIS = 5_000
const mistakes = []
const browser = await launch(given.chromium)

/** Returns the median. */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** Returns the time from a click until the next frame is painted. */
async function interaction(page, selector) {
  return page.evaluate(
    (where) =>
      new Promise((done) => {
        const start = performance.now()
        document.querySelector(where).click()
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)))
      }),
    selector,
  )
}

/**
 * Returns the bytes on the wire of the overview's event stream. Chromium does not tell them: its encodedDataLength is 0 for an event
 * stream. The first event is the whole fleet and is not counted.
 */
function streamBytes(cookies, seconds) {
  return new Promise((done, failed) => {
    const headers = { Cookie: cookies, Accept: 'text/event-stream', 'Accept-Encoding': 'gzip' }
    const pending = request(`${base}/api/v1/stream?topics=services,alerts`, { headers }, (answer) => {
      if (answer.statusCode !== 200) return failed(new Error(`stream: HTTP ${answer.statusCode} (expected: 200)`))
      const { socket } = answer
      answer.resume()
      setTimeout(() => {
        const first = socket.bytesRead
        setTimeout(() => {
          done(socket.bytesRead - first)
          pending.destroy()
        }, seconds * 1000)
      }, FIRST_MILLIS)
    })
    pending.on('error', failed)
    pending.end()
  })
}

async function look(page, name, language) {
  await accessible(page).catch((error) => mistakes.push(`${name}: ${error.message}`))
  await noSidewaysScroll(page).catch((error) => mistakes.push(`${name}: ${error.message}`))
  await translated(page, language).catch((error) => mistakes.push(`${name}: ${error.message}`))
  if (language === 'ja') await everyGlyph(page).catch((error) => mistakes.push(`${name}: ${error.message}`))
  if (given.shots) await page.screenshot({ path: join(given.shots, `${name}.png`) })
}

try {
  const context = await contextOf(browser, {})
  const page = await context.newPage()
  const browserConsole = listen(page)
  await logIn(page, { base, user: given.user, password: given.password, fresh: given['new-password'] ?? `${given.password}-changed-once` })
  browserConsole.take(/401|Unauthorized/)
  await page.goto(`${base}/#/overview`)
  await page.waitForSelector('[data-fleet-map] [data-tile]')

  const cookies = (await context.cookies(base)).map((each) => `${each.name}=${each.value}`).join('; ')
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  let plain = 0
  devtools.on('Network.dataReceived', (event) => {
    plain += event.dataLength
  })
  const start = Date.now()
  const bytes = await streamBytes(cookies, Number(given.seconds))
  const seconds = (Date.now() - start) / 1000
  const wire = { kilobytesPerSecond: bytes / Number(given.seconds) / 1000, plainKilobytesPerSecond: plain / seconds / 1000 }

  const paints = []
  const contents = []
  for (let round = 0; round < 5; round++) {
    await page.reload()
    await page.waitForSelector('[data-fleet-map] [data-tile]')
    const times = await page.evaluate(() => ({ paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity, now: performance.now() }))
    paints.push(times.paint)
    contents.push(times.now)
  }
  const interactions = {}
  const steps = [
    ['overview', 'filter', '[data-chip=normal]'],
    ['overview', 'table', '[data-view=table]'],
    ['services', 'sort', '[data-sort=response]'],
    ['services', 'map', '[data-view=map]'],
  ]
  for (const [place, name, selector] of steps) {
    const times = []
    for (let round = 0; round < 5; round++) {
      await page.goto(`${base}/#/${place}`)
      await page.waitForSelector(selector)
      times.push(await interaction(page, selector))
    }
    interactions[name] = median(times)
  }
  const tiles = await page.locator('[data-tile]').count()
  const result = { services: tiles, ...wire, firstPaintMillis: median(paints), contentMillis: median(contents), interactionMillis: interactions }
  console.log(JSON.stringify(result))
  if (wire.kilobytesPerSecond === 0) mistakes.push('wire: 0 KB/s (expected: an event a second)')
  if (wire.kilobytesPerSecond > LIMITS.kilobytesPerSecond) mistakes.push(`wire: ${wire.kilobytesPerSecond} KB/s (expected: at most ${LIMITS.kilobytesPerSecond})`)
  if (result.firstPaintMillis > LIMITS.paintMillis) mistakes.push(`first paint: ${result.firstPaintMillis} ms (expected: at most ${LIMITS.paintMillis})`)
  for (const [name, millis] of Object.entries(interactions)) if (millis > LIMITS.interactionMillis) mistakes.push(`${name}: ${millis} ms (expected: at most ${LIMITS.interactionMillis})`)

  const storage = await context.storageState()
  for (const [name, options, language] of [
    ['wide', {}, 'en'],
    ['dark', { colorScheme: 'dark' }, 'en'],
    ['phone', { viewport: { width: 390, height: 844 } }, 'en'],
    ['phone-dark-ja', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ja-JP' }, 'ja'],
    ['wide-ja', { locale: 'ja-JP' }, 'ja'],
  ]) {
    const other = await contextOf(browser, { ...options, storageState: { cookies: storage.cookies, origins: [] } })
    const view = await other.newPage()
    for (const [place, ready] of [['overview', '[data-tile]'], ['services', '[data-fleet-table] .spark'], ['services?view=map', '[data-tile]']]) {
      await view.goto(`${base}/#/${place}`)
      await view.waitForSelector(ready)
      await look(view, `fleet-${place.replace('?view=', '-')}-${name}`, language)
    }
    await other.close()
  }
} finally {
  await browser.close()
}
for (const each of mistakes) console.error(`bench fleet: ${each}`)
process.exit(mistakes.length === 0 ? 0 : 1)
