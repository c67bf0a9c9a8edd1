// The console in a real browser against a running central service.
//
//   node e2e/run.mjs --base URL --user NAME --password PW [--new-password PW] [--shots DIR] [--wait SECONDS] [--looks few|pairs|all] [--chromium PATH]
//
// Logs in (and changes the one-time password if requested), runs the journeys, then checks every page in light and dark,
// wide and narrow, English and Japanese. Waits for conditions, never for a time. Exit code 1 if a test failed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accessible, everyGlyph, listen, noSidewaysScroll, translated } from './checks.mjs'
import { CHROMIUM, context as contextOf, launch } from './chromium.mjs'
import * as journey from './journey.mjs'

const { values: given } = parseArgs({
  options: {
    base: { type: 'string' },
    user: { type: 'string', default: 'admin' },
    password: { type: 'string' },
    'new-password': { type: 'string' },
    shots: { type: 'string' },
    wait: { type: 'string', default: '60' },
    looks: { type: 'string', default: 'pairs' },
    chromium: { type: 'string', default: CHROMIUM },
  },
})
if (!given.base || !given.password || !['few', 'pairs', 'all'].includes(given.looks)) {
  console.error('usage: node e2e/run.mjs --base URL --user NAME --password PW [--new-password PW] [--shots DIR] [--wait SECONDS] [--looks few|pairs|all] [--chromium PATH]')
  process.exit(2)
}
const base = given.base.replace(/\/$/, '')
const freshPassword = given['new-password'] ?? `${given.password}-changed-once`
const FIRST_LOAD_BYTES = 170 * 1024 // what the wire carries, with the fields of the responses
if (given.shots) mkdirSync(given.shots, { recursive: true })

let passed = 0
let failed = 0

async function shot(page, name) {
  if (given.shots) await page.screenshot({ path: join(given.shots, `${name}.png`), fullPage: true })
}

/** Runs one counted test. @returns the result of the action, or undefined after a failure */
async function test(name, page, action) {
  const start = Date.now()
  try {
    const result = await action()
    passed += 1
    console.log(`ok    ${name} (${Date.now() - start} ms)`)
    return result
  } catch (error) {
    failed += 1
    const shown = await page
      .locator('main')
      .innerText({ timeout: 5_000 })
      .catch((cause) => cause.message)
    console.log(`FAIL  ${name}\n    ${error.message}\n    ${page.url()} shows: ${shown.replace(/\s+/g, ' ').slice(0, 600)}`)
    await shot(page, `failed-${failed}-${name.replace(/\W+/g, '-')}`).catch(() => null)
    return undefined
  }
}

const browser = await launch(given.chromium)
const context = (options) => contextOf(browser, options)

try {
  const main = await context({})
  const page = await main.newPage()
  const browserConsole = listen(page)
  const loaded = new Map()
  page.on('requestfinished', (request) => {
    if (/\.(js|css|html|svg)(\?|$)|\/$/.test(new URL(request.url()).pathname)) {
      loaded.set(request.url(), request.sizes().then((sizes) => sizes.responseBodySize + sizes.responseHeadersSize).catch(() => Infinity))
    }
  })

  await test('login page is accessible', page, async () => {
    await page.goto(base)
    await page.waitForSelector('[data-login]')
    await accessible(page)
    await noSidewaysScroll(page)
    browserConsole.take()
    await shot(page, 'login')
  })
  await test('login with a wrong password says so', page, async () => {
    const said = await journey.fillLogin(page, given.user, 'certainly not the password')
    if (!said) throw new Error('no message (expected: that name or password is wrong)')
    browserConsole.take(/401|Unauthorized/)
  })
  const inside = await test('login, and the one-time password is changed', page, async () => {
    let refused = await journey.fillLogin(page, given.user, given.password)
    if (refused) refused = await journey.fillLogin(page, given.user, freshPassword) // an earlier run changed the password
    if (refused) throw new Error(`login of ${given.user}: ${refused}`)
    if ((await page.locator('[data-password]').count()) > 0) {
      await accessible(page)
      await shot(page, 'password')
      await journey.changePassword(page, given.password, freshPassword)
    }
    browserConsole.take(/401|Unauthorized/)
    return true
  })
  if (!inside) throw new Error('no session: the rest cannot be tested')

  await test('first load stays below 170 KB', page, async () => {
    const sizes = await Promise.all(loaded.values())
    const total = sizes.reduce((sum, each) => sum + each, 0)
    if (total > FIRST_LOAD_BYTES) throw new Error(`first load: ${total} bytes transferred (expected: at most ${FIRST_LOAD_BYTES})`)
  })
  await test('overview is live', page, async () => {
    await page.waitForSelector('[data-stream=live]')
    browserConsole.take()
  })
  const service = await test('a service with traffic appears', page, () => journey.chooseService(page, Number(given.wait) * 1000))
  if (!service) throw new Error('no service: the rest cannot be tested')

  let group
  const steps = [
    ['overview leads to the service and its charts', () => journey.openService(page, service)],
    ['services are filtered, sorted and mapped', () => journey.manyServices(page, base)],
    ['overview leads to the service again', () => journey.openService(page, service)],
    ['brush zooms, Back returns', () => journey.zoomAndBack(page)],
    ['an interval is chosen by arrows and by instants', () => journey.chooseInstants(page, base, service)],
    ['every chart has a table and a file', () => journey.tableTwin(page)],
    ['a chart has a legend that toggles, values at the pointer and a comparison', () => journey.chartTools(page)],
    ['charts, help and places work by keyboard', () => journey.keyboard(page)],
    ['brush leads to connections and their time line', async () => {
      await journey.open(page, base, `/services/${encodeURIComponent(service)}?range=900`)
      await journey.brushToConnections(page)
    }],
    ['connections have totals, a distribution and groups', () => journey.connectionGroups(page, base)],
    ['response by transfer time is a picture and a table', () => journey.timesPicture(page, base, service)],
    ['the palette leads to a service by keyboard', () => journey.paletteLeadsTo(page, base, service)],
    ['tuning shows the path and its evidence', () => journey.diagnose(page, base, service)],
    ['a threshold is supposed by keyboard, an answer is overridden and given back', () => journey.supposeAndOverride(page, base, service)],
    ['a run is kept', () => journey.keepRun(page)],
    ['a change is recorded and listed', async () => {
      const title = await journey.recordChange(page, base, service)
      await journey.changeIsListed(page, base, title)
    }],
    ['a label leads to its group', async () => {
      group = await journey.labelLeadsToGroup(page, base, service)
    }],
    ['a threshold is set for one service and reset', () => journey.thresholdRoundTrip(page, base, service)],
    ['a receiver is tried, a service is held back and let go', () => journey.alertsRoundTrip(page, base, service)],
    ['a token is created, shown once, revoked', () => journey.tokenRoundTrip(page, base)],
    ['a user is created, shown a password once, deleted', () => journey.userRoundTrip(page, base)],
  ]
  for (const [name, action] of steps) {
    await test(name, page, async () => {
      await action()
      browserConsole.take()
    })
  }

  await test('a host is added, or the console says that there is no TLS', page, async () => {
    await journey.addHost(page, base)
    browserConsole.take(/409/)
  })

  const cache = await journey.chooseCache(page)
  if (cache) {
    await test('a cache is browsed level by level, Back leads back', page, async () => {
      await journey.browseCache(page, base, cache)
      browserConsole.take()
    })
    const { control } = await journey.ask(page, `/api/v1/caches/${encodeURIComponent(cache)}`)
    if (control.state === 'ready') {
      await test('a purge is counted before it can be confirmed', page, async () => {
        await journey.countPurge(page, base, cache)
        browserConsole.take()
      })
    }
  }

  const cluster = await journey.chooseCluster(page)
  if (cluster) {
    await test('a member is chosen on the map, drained, and not any more', page, async () => {
      await journey.drainMember(page, base, cluster)
      browserConsole.take()
    })
  }

  // Every page in each variant.
  const storageState = await main.storageState()
  const incident = await journey.chooseIncident(page)
  // Two variants have each colour, width and language once; four have each pair of them; a variant takes more than a minute.
  const covering = [
    ['light', 1440, 'en'],
    ['dark', 390, 'ja'],
  ]
  const pairs = [
    ['light', 1440, 'en'],
    ['dark', 1440, 'ja'],
    ['light', 390, 'ja'],
    ['dark', 390, 'en'],
  ]
  const others = [
    ['dark', 1440, 'en'],
    ['light', 1440, 'ja'],
    ['dark', 390, 'ja'],
    ['light', 390, 'en'],
  ]
  const looks = { few: covering, pairs, all: [...pairs, ...others] }[given.looks].map(([colorScheme, width, language]) => ({
    name: `${colorScheme}-${width}-${language}`,
    colorScheme,
    width,
    language,
  }))
  for (const look of looks) {
    const looking = await context({
      storageState,
      colorScheme: look.colorScheme,
      locale: look.language === 'ja' ? 'ja-JP' : 'en-US',
      viewport: { width: look.width, height: 900 },
    })
    const other = await looking.newPage()
    // The journeys' tab stored English; this tab sets its own language before the console starts.
    await other.addInitScript((language) => localStorage.setItem('komainu.language', language), look.language)
    const otherConsole = listen(other)
    for (const each of journey.pagesOf(service, cache, cluster, incident, group)) {
      await test(`${each.name} ${look.name}`, other, async () => {
        await journey.visit(other, base, each)
        await shot(other, `${each.name}-${look.name}`)
        await translated(other, look.language)
        await everyGlyph(other)
        await accessible(other)
        otherConsole.take()
      })
    }
    if (look.width < 1080) {
      await test(`flowchart unfolds ${look.name}`, other, async () => {
        await journey.visit(other, base, journey.pagesOf(service).find((each) => each.name === 'tuning'))
        await journey.unfoldFlowchart(other)
        otherConsole.take()
      })
    }
    await looking.close()
  }

  // A broken stream: the console polls and shows a banner.
  const broken = await context({ storageState })
  const lonely = await broken.newPage()
  await test('a refused stream falls back to asking', lonely, async () => {
    await lonely.route('**/api/v1/stream*', (route) => route.abort())
    await journey.open(lonely, base, '/overview')
    await lonely.waitForSelector('[data-stream=polling]')
    await lonely.waitForResponse((answer) => answer.url().includes('/api/v1/overview') && answer.ok())
    await accessible(lonely)
    await lonely.unroute('**/api/v1/stream*')
    await lonely.waitForSelector('[data-stream=live]', { timeout: 60_000 })
  })
  await test('a service that does not respond is told, and a page whose code is missing can be loaded anew', lonely, async () => {
    await lonely.route(/\/(api|assets)\//, (route) => route.abort())
    // Ends the stream, too: while it lives, the page has no reason to ask.
    await broken.setOffline(true)
    await lonely.waitForSelector('[data-silent]', { timeout: 60_000 })
    await lonely.click('nav a[href*="/changes"]')
    await lonely.waitForSelector('[data-unloaded]')
    await accessible(lonely)
    await lonely.unroute(/\/(api|assets)\//)
    await broken.setOffline(false)
    await lonely.click('[data-unloaded] button')
    await lonely.waitForFunction(() => location.hash.startsWith('#/changes'))
    await lonely.waitForSelector('[data-stream=live]', { timeout: 60_000 })
    if ((await lonely.locator('[data-silent], [data-unloaded]').count()) > 0) throw new Error('the notices stay although the service responds')
  })
  await broken.close()

  if (group) {
    await test('a label is removed', page, async () => {
      await journey.removeLabel(page, base, service, group)
      browserConsole.take()
    })
  }
  await test('logout ends the session', page, async () => {
    await page.click('[data-logout]')
    await page.waitForSelector('[data-login]')
    const session = await journey.ask(page, '/api/v1/session')
    if (session.user !== null) throw new Error(`session.user: ${session.user?.name} (expected: null)`)
  })
} catch (error) {
  failed += 1
  console.log(`FAIL  ${error.message}`)
} finally {
  await browser.close()
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
