// The journeys of an administrator and an operator through the console, with the data that the service has.
import { accessible, noSidewaysScroll } from './checks.mjs'

export const SETTINGS = ['account', 'sessions', 'sources', 'hosts', 'labels', 'users', 'tokens', 'audit', 'backups', 'telemetry']

/** Sends a request to the REST service with the browser's session. */
export function ask(page, path) {
  return page.evaluate(async (address) => {
    const answer = await fetch(address)
    if (!answer.ok) throw new Error(`GET ${address}: HTTP ${answer.status}`)
    return answer.json()
  }, path)
}

export async function open(page, base, hash) {
  await page.goto(`${base}/#${hash}`)
}

/** Opens the overview and waits until it is shown in place of the page before. */
async function openOverview(page, base) {
  await open(page, base, '/overview')
  await page.waitForSelector('main [data-services]')
}

export async function fillLogin(page, user, password) {
  await page.fill('[data-login] [name=name]', user)
  await page.fill('[data-login] [name=password]', password)
  await page.click('[data-login] [type=submit]')
  await page.waitForSelector('[data-login] [role=alert], [data-password], [data-services], [data-empty]')
  return page.evaluate(() => document.querySelector('[data-login] [role=alert]')?.textContent ?? null)
}

export async function changePassword(page, current, fresh) {
  await page.fill('[data-password] [name=current]', current)
  await page.fill('[data-password] [name=new]', fresh)
  await page.fill('[data-password] [name=again]', fresh)
  await page.click('[data-password] [type=submit]')
  await page.waitForSelector('[data-services], [data-empty]')
}

/** Returns the service for the journey: one with traffic, a real server before a Komainu proxy. */
export async function chooseService(page, waitMillis) {
  const end = Date.now() + waitMillis
  for (;;) {
    const { items } = await ask(page, '/api/v1/services')
    // The origin side of a proxy is no member of a group.
    const busy = items.filter((each) => (each.summary.arrivalPerSecond ?? 0) > 0 && !each.id.endsWith('>origin'))
    const chosen = busy.find((each) => each.kind !== 'komainu') ?? busy[0] ?? (Date.now() > end ? items[0] : undefined)
    if (chosen) return chosen.id
    if (Date.now() > end) throw new Error(`services: none after ${waitMillis / 1000} s (expected: at least one, with traffic)`)
    // The console refreshes automatically: wait for its next response instead of a time.
    await page.waitForResponse((answer) => answer.url().includes('/api/v1/'), { timeout: 1000 }).catch(() => null)
  }
}

/** Goes to an earlier interval, a longer one, and to two typed instants. */
export async function chooseInstants(page, base, service) {
  await open(page, base, `/services/${encodeURIComponent(service)}?range=900`)
  await page.click('[data-range-earlier]')
  await page.waitForURL(/from=/)
  const length = () => {
    const query = new URLSearchParams(new URL(page.url()).hash.split('?')[1])
    return Date.parse(query.get('to')) - Date.parse(query.get('from'))
  }
  if (Math.abs(length() - 900_000) > 1_000) throw new Error(`earlier: ${length()} ms (expected: 900000)`)
  const before = page.url()
  await page.click('[data-range-wider]')
  await page.waitForFunction((url) => location.href !== url, before)
  if (Math.abs(length() - 1_800_000) > 1_000) throw new Error(`wider: ${length()} ms (expected: 1800000)`)
  await page.click('[data-range-absolute]')
  await accessible(page)
  await page.fill('[name=range-from]', '2026-01-02T03:04:05')
  await page.fill('[name=range-to]', '2026-01-02T03:05:05')
  await page.click('[data-range-form] [type=submit]')
  await page.waitForFunction(() => /from=2026-01-0/.test(location.href))
  if (length() !== 60_000) throw new Error(`typed: ${length()} ms (expected: 60000)`)
  await page.click('[data-range-live]')
  await page.waitForURL(/range=900/)
  await openOverview(page, base)
  if ((await page.locator('[data-range]').count()) > 0) throw new Error('overview: has a time range (expected: none, nothing there follows it)')
  await open(page, base, `/services/${encodeURIComponent(service)}?range=900`)
  await chartDrawn(page)
}

/** Opens the palette by keyboard, finds a service by its name and goes there. */
export async function paletteLeadsTo(page, base, service) {
  await open(page, base, '/overview')
  const { items } = await ask(page, '/api/v1/services')
  await page.keyboard.press('Control+k')
  const field = page.locator('[data-palette] input')
  await field.waitFor()
  await accessible(page)
  await field.fill(items.find((each) => each.id === service).name)
  await page.locator('[data-palette] [data-item=service][data-highlighted]').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForFunction((id) => decodeURIComponent(location.hash).startsWith(`#/services/${id}`), service)
  if ((await page.locator('[data-palette]').count()) > 0) throw new Error('palette: still open')
}

/** Returns the newest incident, or undefined when there was none yet. */
export async function chooseIncident(page) {
  for (const status of ['open', 'ended']) {
    const { items } = await ask(page, `/api/v1/incidents?status=${status}`)
    if (items.length > 0) return items[0].id
  }
  return undefined
}

export async function openService(page, service) {
  // A service that feels an incident stands on the card of its root.
  await page.locator(`[data-service="${service}"] h2 a, [data-felt="${service}"] a`).first().click()
  await page.waitForSelector('[data-ribbon] svg')
  await chartDrawn(page)
}

async function chartDrawn(page) {
  await page.waitForSelector('.charts [data-chart] canvas', { timeout: 60_000 })
}

/** Drags over the first drawn chart from 5 % to 97 % of its width. */
export async function brush(page) {
  await chartDrawn(page)
  const over = page.locator('.charts [data-chart] .u-over').first()
  await over.scrollIntoViewIfNeeded()
  const box = await over.boundingBox()
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width * 0.05, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 })
  await page.mouse.move(box.x + box.width * 0.97, y, { steps: 4 })
  await page.mouse.up()
  await page.waitForSelector('[data-brush-connections]')
}

export async function zoomAndBack(page) {
  await brush(page)
  await page.click('[data-zoom]')
  await page.waitForURL(/from=.*to=/)
  await page.waitForSelector('[data-range-back]')
  await chartDrawn(page)
  await page.click('[data-range-back]')
  await page.waitForURL(/range=900/)
  await page.waitForSelector('[data-pause]')
}

export async function brushToConnections(page) {
  await brush(page)
  await page.click('[data-brush-connections]')
  await page.waitForURL(/\/connections\?.*from=/)
  await page.waitForSelector('[data-connection], [data-no-connections]')
  const rows = await page.locator('[data-connection]').count()
  if (rows === 0) return 0
  await page.locator('[data-connection] button').first().click()
  await page.waitForSelector('[data-timeline] li')
  return rows
}

/** Checks totals, distribution, the slowest connections and the groups of a service whose clients end their connections. */
export async function connectionGroups(page, base) {
  const { items } = await ask(page, '/api/v1/services')
  const server = items.find((each) => each.kind === 'komainu')
  await open(page, base, `/services/${encodeURIComponent(server.id)}/connections?range=900`)
  await page.locator('[data-totals]').waitFor()
  await page.locator('[data-distribution] li').first().waitFor()
  await page.click('[data-view=slowest]')
  await page.locator('[data-connection]').first().waitFor()
  await page.click('[data-view=target]')
  await page.locator('[data-group]').first().waitFor()
  await page.click('[data-sort=p95]')
  await page.waitForSelector('th[aria-sort=descending] [data-sort=p95]')
  const group = page.locator('[data-group] button').first()
  const name = (await group.textContent()).trim()
  await group.click()
  // The rows of the last search stay until those of the group arrive; then each of them has its target.
  await page.waitForFunction((target) => {
    const rows = [...document.querySelectorAll('[data-connection]')]
    return rows.length > 0 && rows.every((each) => each.textContent.includes(target))
  }, name)
  await accessible(page)
}

export async function keyboard(page) {
  await chartDrawn(page)
  const chart = page.locator('.charts [role=application]').first()
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  await page.waitForFunction(() => [...document.querySelectorAll('.charts [aria-live]')].some((each) => /\d/.test(each.textContent)))
  await page.keyboard.press('Shift+ArrowLeft')
  await page.waitForSelector('[data-brush-connections]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('[data-brush-connections]', { state: 'detached' })
  await page.evaluate(() => document.activeElement?.blur())
  await page.keyboard.press('?')
  await page.waitForSelector('[role=dialog]')
  await accessible(page)
  await page.keyboard.press('Escape')
  await page.waitForSelector('[role=dialog]', { state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL(/#\/services\?/)
  await page.waitForSelector('[data-search]')
  await page.keyboard.press('/')
  await page.waitForFunction(() => document.activeElement?.matches('[data-search]'))
}

export async function tableTwin(page) {
  await chartDrawn(page)
  const chart = page.locator('.charts [data-chart]').first()
  await chart.locator('button').first().click()
  await chart.locator('table tbody tr').first().waitFor()
  await chart.locator('button').first().click()
  await chart.locator('canvas').waitFor()
  for (const kind of ['csv', 'png']) {
    await chart.locator('[data-chart-menu]').click()
    const [file] = await Promise.all([page.waitForEvent('download'), chart.locator(`[data-${kind}]`).click()])
    if (!file.suggestedFilename().endsWith(`.${kind}`)) throw new Error(`download: ${file.suggestedFilename()} (expected: *.${kind})`)
  }
}

/** Uses the legend, the pointer and the comparison of the first chart, and opens the state model below the charts. */
export async function chartTools(page) {
  await chartDrawn(page)
  const chart = page.locator('.charts [data-chart]').first()
  const box = await chart.boundingBox()
  const height = page.viewportSize().height
  if (box.y + box.height > height) throw new Error(`the first chart ends at ${Math.round(box.y + box.height)} px (expected: within the first ${height} px)`)
  const items = chart.locator('[data-line]')
  await items.nth(1).click()
  await chart.locator('[data-line][aria-pressed=false]').first().waitFor()
  const hidden = await chart.locator('[data-line][aria-pressed=false]').count()
  if (hidden !== (await items.count()) - 1) throw new Error(`${hidden} lines are hidden (expected: all but one)`)
  await items.nth(1).click()
  await chart.locator('[data-line][aria-pressed=false]').first().waitFor({ state: 'detached' })
  await items.nth(0).click({ modifiers: ['Control'] })
  await chart.locator('[data-line][aria-pressed=false]').first().waitFor()
  await items.nth(0).click({ modifiers: ['Control'] })
  await chart.locator('.u-over').hover({ position: { x: 120, y: 60 } })
  await chart.locator('[data-tip]').waitFor()
  const tips = await page.locator('[data-tip]').count()
  if (tips !== 1) throw new Error(`${tips} charts show values at the pointer (expected: the one below it)`)
  await page.selectOption('[data-compare]', '604800')
  await page.waitForURL(/compare=604800/)
  await page.waitForSelector('[data-nothing-compared]')
  // The demo is younger than an hour: only another service has values.
  const other = await page.locator('[data-compare] option').last().getAttribute('value')
  await page.selectOption('[data-compare]', other)
  await page.waitForFunction(() => /\(.+\)/.test(document.querySelector('.charts [data-line]')?.textContent ?? ''))
  await page.selectOption('[data-compare]', '')
  await page.waitForURL((address) => !/compare=/.test(address.href))
  await page.locator('[data-evidence] tbody tr').first().waitFor()
  await page.locator('[data-state-model] > summary').click()
  await page.waitForSelector('[data-state-picture] .lit')
}

/** Checks the picture of T_r by T_d: cells by keyboard, and the same as a table. */
export async function timesPicture(page, base, service) {
  await open(page, base, `/services/${encodeURIComponent(service)}/outside?range=3600`)
  const picture = page.locator('[data-times] [role=application]')
  await picture.focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForSelector('[data-times] rect.here')
  await page.waitForFunction(() => /\d/.test(document.querySelector('[data-times] [aria-live]').textContent))
  await page.locator('[data-times] button').click()
  await page.locator('[data-times] tbody tr').first().waitFor()
}

export async function diagnose(page, base, service) {
  await open(page, base, `/tuning/${encodeURIComponent(service)}`)
  await page.waitForSelector('[data-path] li')
  await page.waitForSelector('[data-flowchart] .node.taken')
  await page.waitForSelector('[data-card] h2')
  // The taken part of the drawing, and then the whole, fits its card, with letters that can be read.
  await fits(page)
  await page.click('[data-fold]')
  await page.waitForSelector('[data-flowchart] .node.untaken')
  await fits(page)
  await page.click('[data-fold]')
  await page.waitForSelector('[data-flowchart] .node.untaken', { state: 'detached' })

  // Move one step by keyboard in the drawing: arrow keys move, Enter selects.
  await page.locator('[data-flowchart] .node[tabindex="0"]').focus()
  const started = await page.evaluate(() => document.activeElement.getAttribute('data-node'))
  await page.keyboard.press('ArrowUp')
  await page.waitForFunction((from) => document.activeElement?.matches('[data-node][aria-pressed=false]') && document.activeElement.getAttribute('data-node') !== from, started)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.matches('[data-node][aria-pressed=true]'))
  // Each answered decision shows its evidence or the missing data.
  const decided = page.locator('[data-path] li:has([data-verdict]) button')
  if ((await decided.count()) > 0) {
    await decided.first().click()
    await page.waitForSelector('[data-card] [data-evidence], [data-card] [data-missing]')
  }
}

async function fits(page) {
  const drawn = await page.evaluate(() => {
    const frame = document.querySelector('[data-flowchart]')
    const svg = frame.querySelector('svg')
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width
    return { over: frame.scrollWidth - frame.clientWidth, letters: scale * parseFloat(getComputedStyle(svg.querySelector('text')).fontSize) }
  })
  if (drawn.over > 0 || drawn.letters < 11) throw new Error(`flowchart: ${JSON.stringify(drawn)} (expected: nothing over, letters of 11 px)`)
}

/** Records the advice if there is one, otherwise a change by hand. @returns the recorded title */
export async function recordChange(page, base, service) {
  const { advice } = await ask(page, `/api/v1/services/${encodeURIComponent(service)}/diagnosis`)
  if (advice.length > 0) {
    for (const button of await page.locator('[data-path] button').all()) {
      await button.click()
      if ((await page.locator('[data-record]').count()) > 0) break
    }
  }
  if ((await page.locator('[data-record]').count()) > 0) {
    const title = (await page.locator('[data-advice] h3').first().textContent()).trim()
    await page.locator('[data-record]').first().click()
    await page.waitForSelector('[role=dialog] [data-confirm]')
    await accessible(page)
    await page.click('[role=dialog] [data-confirm]')
    await page.waitForSelector('[data-recorded]')
    return title
  }
  const title = `Checked by the console's own test ${new Date().toISOString()}`
  await open(page, base, '/changes')
  await page.click('[data-record-form] summary')
  await page.selectOption('[data-record-form] select', service)
  await page.fill('[data-record-form] [name=title]', title)
  await page.click('[data-record-form] [type=submit]')
  await page.waitForSelector('[role=dialog] [data-confirm]')
  await accessible(page)
  await page.click('[role=dialog] [data-confirm]')
  await page.waitForSelector('[role=dialog]', { state: 'detached' })
  return title
}

export async function changeIsListed(page, base, title) {
  await open(page, base, '/changes')
  await page.locator('[data-change]', { hasText: title }).first().waitFor()
}

/** Assumes another threshold by keyboard and resets it; overrides an answer with a reason and ends the override. */
export async function supposeAndOverride(page, base, service) {
  await open(page, base, `/tuning/${encodeURIComponent(service)}`)
  const steps = page.locator('[data-path] li:has([data-verdict]) button')
  await steps.first().waitFor()
  for (const step of await steps.all()) {
    await step.click()
    await page.waitForSelector('[data-card] [data-override-open]')
    if ((await page.locator('[data-card] [data-slider]').count()) > 0) break
  }
  await page.locator('[data-card] [data-what-if] summary').focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-card] [data-slider]').first().focus()
  await page.keyboard.press('End')
  await page.waitForSelector('[data-supposed]')
  await accessible(page)
  await page.click('[data-reset-what-if]')
  await page.waitForSelector('[data-supposed]', { state: 'detached' })
  await page.click('[data-card] [data-override-open]')
  await page.fill('[role=dialog] [data-override-reason]', `e2e-${Date.now().toString(36)}`)
  await accessible(page)
  await page.click('[role=dialog] [data-override-put]')
  await page.waitForSelector('[data-card] [data-override]')
  await page.click('[data-card] [data-end-override]')
  await page.waitForSelector('[data-card] [data-override]', { state: 'detached' })
}

/** Sets one threshold of this service, checks its mark, and resets it to the default. */
export async function thresholdRoundTrip(page, base, service) {
  await open(page, base, `/services/${encodeURIComponent(service)}/thresholds`)
  const rule = page.locator('[data-rule]').first()
  await rule.locator('summary').click()
  const row = rule.locator('[data-measure]').first()
  await row.locator('[data-edit]').click()
  await page.fill('[role=dialog] [name=threshold-reason]', `e2e-${Date.now().toString(36)}`)
  await accessible(page)
  await page.click('[role=dialog] [data-set]')
  await page.waitForSelector('[role=dialog]', { state: 'detached' })
  await row.filter({ hasText: 'e2e-' }).waitFor()
  await row.locator('[data-edit]').click()
  await page.click('[role=dialog] [data-reset]')
  await page.waitForSelector('[role=dialog]', { state: 'detached' })
  await row.filter({ hasNotText: 'e2e-' }).waitFor({ state: 'attached' }) // its rule collapses again
}

export async function keepRun(page) {
  await page.click('[data-keep]')
  await page.waitForSelector('[data-runs] li')
}

/** Creates a token, checks that its secret is shown once, and revokes it. */
export async function tokenRoundTrip(page, base) {
  const name = `e2e-${Date.now().toString(36)}`
  await open(page, base, '/settings/tokens')
  await page.fill('[name=token-name]', name)
  await page.check('[data-tokens] [value="metrics:read"]')
  await page.click('[data-tokens] form [type=submit]')
  const secret = await page.locator('[role=dialog] [data-secret] code').textContent()
  if (!secret.startsWith('kmn_')) throw new Error('token secret: does not start with kmn_')
  await accessible(page)
  await page.keyboard.press('Escape')
  const row = page.locator('[data-tokens] tbody tr', { hasText: name })
  await row.locator('[data-revoke]').click()
  await page.click('[role=dialog] [data-confirm]')
  await row.waitFor({ state: 'detached' })
}

/** Creates a user, checks that the one-time password is shown once, and deletes the user. */
export async function userRoundTrip(page, base) {
  const name = `e2e-${Date.now().toString(36)}`
  await open(page, base, '/settings/users')
  await page.fill('[name=user-name]', name)
  await page.click('[data-users] form [type=submit]')
  await page.waitForSelector('[role=dialog] [data-secret]')
  await page.keyboard.press('Escape')
  const row = page.locator('[data-users] tbody tr', { hasText: name })
  await row.locator('[data-user-sessions]').click()
  await page.waitForSelector('[data-watched] [data-sessions]')
  await accessible(page)
  await row.locator('[data-remove]').click()
  await page.click('[role=dialog] [data-confirm]')
  await row.waitFor({ state: 'detached' })
}

/** Asks for an enrolment code from the palette. A service with TLS shows its command, and the code is withdrawn; one without TLS shows how to get TLS. */
export async function addHost(page, base) {
  await open(page, base, '/settings/hosts')
  await page.waitForSelector('[data-no-parts], [data-part]')
  await page.keyboard.press('Control+k')
  await page.locator('[data-palette] input').fill('host')
  await page.locator('[data-palette] [data-item=action]').click()
  await page.waitForSelector('[data-code-form]')
  await accessible(page)
  await page.click('[data-make-code]')
  await page.waitForSelector('[data-needs-tls], [data-code-shown]')
  await accessible(page)
  const withTls = (await page.locator('[data-code-shown]').count()) > 0
  if (withTls && !/--enrol 'https:/.test(await page.locator('[data-command] code').first().textContent())) throw new Error('add a host: no command with a code')
  await page.keyboard.press('Escape')
  if (!withTls) return
  const code = page.locator('[data-codes] [data-code]').last()
  const id = await code.getAttribute('data-code')
  await code.locator('[data-withdraw]').click()
  await page.locator(`[data-code="${id}"]`).waitFor({ state: 'detached' })
}

/** Creates a receiver with a closed port, tests it, checks the failure and deletes it; silences a service and ends the silence. */
export async function alertsRoundTrip(page, base, service) {
  const name = `e2e-${Date.now().toString(36)}`
  await open(page, base, '/alerts/receivers')
  await page.click('[data-new-receiver]')
  await page.selectOption('[name=receiver-type]', 'webhook')
  await page.fill('[name=receiver-name]', name)
  await page.fill('[name=hook-url]', 'http://127.0.0.1:9/hook')
  await page.fill('[name=hook-secret]', 'sixteen-characters')
  await accessible(page)
  await page.click('[data-receiver-form] [data-confirm]')
  const card = page.locator(`[data-receiver="${name}"]`)
  await card.locator('[data-test]').click()
  await card.locator('[data-test-outcome]').waitFor()
  await card.locator('[data-deliveries] summary').click()
  await card.locator('[data-deliveries] tbody tr').first().waitFor()
  await card.locator('[data-delete]').click()
  await page.click('[role=dialog] [data-confirm]')
  await card.waitFor({ state: 'detached' })
  await open(page, base, `/services/${encodeURIComponent(service)}`)
  await page.click('[data-note]')
  await page.fill('[name=note-text]', name)
  await accessible(page)
  await page.click('[data-confirm-note]')
  await page.locator('[data-note-form]').waitFor({ state: 'detached' })
  await page.click('[data-maintain]')
  await page.fill('[name=silence-reason]', name)
  await accessible(page)
  await page.click('[data-silence-form] [data-confirm]')
  await page.locator('[data-held-back] li', { hasText: name }).waitFor()
  await open(page, base, '/alerts/silences')
  const row = page.locator('[data-silences] tbody tr', { hasText: name })
  await row.waitFor()
  await row.locator('button').click()
  await row.locator('button').waitFor({ state: 'detached' })
}

/** Sets a label by hand on a service's page, and follows it to its group. @returns the group's name */
export async function labelLeadsToGroup(page, base, service) {
  const group = 'e2e=journey'
  await open(page, base, `/services/${encodeURIComponent(service)}/settings`)
  await page.fill('[data-set-label] [name=label-key]', 'e2e')
  await page.fill('[data-set-label] [name=label-value]', 'journey')
  await accessible(page)
  await page.click('[data-set-label] [type=submit]')
  await page.locator(`[data-labels] [data-label="${group}"]`).waitFor()
  await page.locator(`[data-label-chips] a`, { hasText: group }).click()
  await page.locator(`[data-members] [data-member="${service}"]`).waitFor()
  await page.locator('[data-heat] [data-cells]').first().waitFor()
  // The table of the groups leads to the same page.
  await page.click('[data-all-groups]')
  await page.locator(`[data-groups] [data-group="${group}"] a`).first().click()
  await page.waitForSelector('[data-sums]')
  // The same label narrows the list of services.
  await open(page, base, `/services?label=${encodeURIComponent(group)}`)
  await page.waitForFunction((id) => [...document.querySelectorAll('[data-fleet-table] [data-service]')].map((each) => each.dataset.service).join() === id, service)
  return group
}

/** Removes the label of the journey. */
export async function removeLabel(page, base, service, group) {
  await open(page, base, `/services/${encodeURIComponent(service)}/settings`)
  const row = page.locator(`[data-labels] [data-label="${group}"]`)
  await row.locator('[data-remove-label]').click()
  await row.waitFor({ state: 'detached' })
}

/** Opens the contents of a cache that can be purged, one level down and back, then counts without purging. @returns its id, if there is one */
export async function chooseCache(page) {
  const caches = await ask(page, '/api/v1/caches')
  return (caches.find((each) => each.takesOrders) ?? caches[0])?.id
}

export async function browseCache(page, base, cache) {
  await open(page, base, '/caches')
  await page.click(`[data-cache="${cache}"] h2 a`)
  await chartDrawn(page)
  // A proxy with a control endpoint shows the parts of its memory and its upstream servers.
  await page.waitForSelector('[data-memory], [data-control]')
  await page.waitForSelector('[data-origin], [data-no-origins], [data-control]')
  await page.click('[data-tab=contents]')
  await page.waitForSelector('[data-child], [data-empty-contents], [data-no-contents], [data-control]')
  if ((await page.locator('[data-folder]').count()) === 0) return
  await page.locator('[data-folder]').first().click()
  await page.waitForFunction(() => document.querySelectorAll('[data-contents] nav li').length > 1)
  await page.waitForSelector('[data-child]')
  await page.goBack()
  await page.waitForFunction(() => document.querySelectorAll('[data-contents] nav li').length === 1)
}

/** Counts, changes the order (the count disappears), counts again, and closes without purging. */
export async function countPurge(page, base, cache) {
  await open(page, base, `/caches/${encodeURIComponent(cache)}/contents`)
  await page.click('[data-purge]')
  await page.check('[role=dialog] [value=all]')
  if (!(await page.locator('[role=dialog] [data-confirm]').isDisabled())) throw new Error('purge: can be confirmed before it was counted')
  await page.click('[role=dialog] [data-count]')
  await page.waitForSelector('[data-counted]')
  await accessible(page)
  await page.check('[role=dialog] [name=purge-soft]')
  await page.waitForSelector('[data-counted]', { state: 'detached' })
  await page.keyboard.press('Escape')
  await page.waitForSelector('[role=dialog]', { state: 'detached' })
}

/** Selects an organizer cluster, preferably with a member that accepts orders. @returns its name, if there is one */
export async function chooseCluster(page) {
  const clusters = await ask(page, '/api/v1/clusters')
  for (const { name } of clusters) {
    if ((await ask(page, `/api/v1/clusters/${name}`)).takeOrders.length > 0) return name
  }
  return clusters[0]?.name
}

/** Selects a member on the map by keyboard; if it accepts orders, drains it and ends draining. */
export async function drainMember(page, base, cluster) {
  await open(page, base, `/clusters/${cluster}`)
  const node = page.locator('[data-node]').first()
  await node.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.locator('[data-chosen]').waitFor()
  await accessible(page)
  const drain = page.locator('[data-drain]').first()
  if ((await drain.count()) === 0) return
  for (const after of ['true', 'false']) {
    await drain.click()
    await page.click('[role=dialog] [data-confirm]')
    await page.locator(`[data-drain][aria-checked=${after}]`).first().waitFor()
    await page.waitForFunction((value) => document.querySelector('[data-drain]')?.getAttribute('aria-checked') === value, after)
  }
}

/** All pages of the console, each with a selector that shows that it is ready. */
export function pagesOf(service, cache, cluster, incident, group) {
  const id = encodeURIComponent(service)
  return [
    { name: 'overview', hash: '/overview', ready: '[data-services]' },
    { name: 'services', hash: '/services', ready: 'tbody tr' },
    { name: 'service', hash: `/services/${id}`, ready: '.charts [data-chart] canvas' },
    { name: 'outside', hash: `/services/${id}/outside`, ready: '[data-outside] tbody tr' },
    { name: 'host', hash: `/services/${id}/host`, ready: '[data-host]' },
    { name: 'connections', hash: `/services/${id}/connections`, ready: '[data-connection], [data-no-connections]' },
    { name: 'discovered', hash: `/services/${id}/settings`, ready: '[data-settings]' },
    { name: 'thresholds', hash: `/services/${id}/thresholds`, ready: '[data-rule]' },
    { name: 'history', hash: `/services/${id}/history`, ready: '[data-history] > .panel, [data-history] > .notice' },
    { name: 'tuning', hash: `/tuning/${id}`, ready: '[data-path] li' },
    { name: 'groups', hash: '/groups', ready: '[data-groups] tbody tr, [data-no-groups]' },
    ...(group ? [{ name: 'group', hash: `/groups/${encodeURIComponent(group)}`, ready: '[data-members] tbody tr' }] : []),
    { name: 'caches', hash: '/caches', ready: '[data-caches], [data-no-caches]' },
    ...(cache
      ? [
          { name: 'cache', hash: `/caches/${encodeURIComponent(cache)}`, ready: '.charts [data-chart] canvas' },
          { name: 'cache-contents', hash: `/caches/${encodeURIComponent(cache)}/contents`, ready: '[data-child], [data-empty-contents], [data-no-contents]' },
        ]
      : []),
    { name: 'clusters', hash: '/clusters', ready: '[data-clusters], [data-no-clusters]' },
    ...(cluster
      ? [
          { name: 'cluster', hash: `/clusters/${cluster}`, ready: '[data-map] [data-node]' },
          { name: 'cluster-routes', hash: `/clusters/${cluster}/routes`, ready: '[data-routes], [data-no-routes]' },
          { name: 'cluster-lines', hash: `/clusters/${cluster}/lines`, ready: '[data-lines], [data-no-lines]' },
          { name: 'cluster-history', hash: `/clusters/${cluster}/history`, ready: '[data-history] .panel, [data-history] .notice' },
        ]
      : []),
    { name: 'alerts', hash: '/alerts', ready: '[data-no-alerts], [data-alert]' },
    { name: 'alerts-incidents', hash: '/alerts/incidents', ready: '[data-incidents] .notice, [data-incidents] tbody tr' },
    ...(incident ? [{ name: 'incident', hash: `/incidents/${incident}`, ready: '[data-course] li' }] : []),
    { name: 'alerts-silences', hash: '/alerts/silences', ready: '[data-silences] .notice, [data-silences] tbody tr' },
    { name: 'alerts-rules', hash: '/alerts/rules', ready: '[data-rules] tbody tr' },
    { name: 'alerts-receivers', hash: '/alerts/receivers', ready: '[data-receivers] [data-no-receivers], [data-receivers] [data-receiver]' },
    { name: 'capacity', hash: '/capacity', ready: '[data-capacity-of]' },
    { name: 'capacity-of', hash: `/capacity/${id}`, ready: '[data-upgrades]' },
    { name: 'changes', hash: '/changes', ready: '[data-changes], .notice' },
    ...SETTINGS.map((name) => ({ name: `settings-${name}`, hash: `/settings/${name}`, ready: `main div:has([data-section=${name}][aria-current]) section` })),
  ]
}

/** Checks that on a phone the list comes first and a button shows the drawing. */
export async function unfoldFlowchart(page) {
  const [list, fold] = [await page.locator('[data-path]').boundingBox(), await page.locator('[data-fold]').boundingBox()]
  if (list.y > fold.y) throw new Error(`flowchart: above its list (expected: below)`)
  if (await page.locator('[data-flowchart]').isVisible()) throw new Error('flowchart: open (expected: folded)')
  await page.click('[data-fold]')
  await page.locator('[data-flowchart]').waitFor()
  await noSidewaysScroll(page)
  await page.evaluate(() => scrollTo(0, 0)) // a target half covered by the top bar would count as too small
  await accessible(page)
}

export async function visit(page, base, { hash, ready }) {
  await open(page, base, hash)
  await page.waitForSelector(ready, { state: 'attached' })
  await page.waitForFunction(() => !document.querySelector('main [role=alert]'))
  await noSidewaysScroll(page)
}

/** Chips and text filter the services, headings sort them, the map shows them as tiles; the address keeps all of it. */
export async function manyServices(page, base) {
  await open(page, base, '/services')
  const rows = page.locator('[data-fleet-table] [data-service]')
  await rows.first().waitFor()
  await page.locator('[data-chip=normal]').click()
  await page.waitForURL(/state=normal/)
  await page.waitForFunction(() => [...document.querySelectorAll('[data-fleet-table] [data-state]')].every((each) => each.dataset.state === 'normal'))
  await page.locator('[data-chip=normal]').click()
  await rows.first().waitFor()
  await page.locator('[data-sort=name]').click()
  await page.waitForSelector('th[aria-sort=ascending] [data-sort=name]')
  await page.reload()
  await page.waitForSelector('th[aria-sort=ascending] [data-sort=name]')
  await page.locator('[data-search]').fill('no such service')
  await page.waitForFunction(() => document.querySelectorAll('[data-fleet-table] [data-service]').length === 0)
  await page.locator('[data-search]').press('Escape')
  await rows.first().waitFor()
  await page.locator('[data-view=map]').click()
  const tiles = page.locator('[data-tile]')
  await tiles.first().focus()
  await page.keyboard.press('End')
  const last = await tiles.last().getAttribute('data-tile')
  await page.waitForFunction((id) => document.activeElement?.getAttribute('data-tile') === id, last)
  await page.keyboard.press('Enter')
  await page.waitForFunction((id) => decodeURIComponent(location.hash).startsWith(`#/services/${id}`), last)
  await openOverview(page, base)
}
