// The shortest way from "something is wrong" to "it helped": Overview → Diagnose → evidence → advice → apply → verified.
//
//   node e2e/six-clicks.mjs --base URL --user NAME --password PW --service ID --state STATE --decision NODE --leaf NODE
//                           --setting NAME --file FILE [--patience SECONDS] [--shots DIR] [--chromium PATH]
//
// Waits on the overview until the service is in that state, then clicks exactly six times and checks the required texts of every page on
// the way. The last line is JSON: the clicks, and the change with its old and new value. Exit code 1 if a text is missing. Changes a
// real server: its agent must allow changes.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accessible, listen, translated } from './checks.mjs'
import { CHROMIUM, context, launch } from './chromium.mjs'
import { fillLogin } from './journey.mjs'

const needed = ['base', 'user', 'password', 'service', 'state', 'decision', 'leaf', 'setting', 'file']
const { values: given } = parseArgs({
  options: {
    ...Object.fromEntries(needed.map((name) => [name, { type: 'string' }])),
    patience: { type: 'string', default: '240' },
    shots: { type: 'string' },
    chromium: { type: 'string', default: CHROMIUM },
  },
})
const missing = needed.filter((name) => !given[name])
if (missing.length > 0) {
  console.error(`six-clicks: not given: ${missing.map((name) => `--${name}`).join(' ')}`)
  process.exit(2)
}
const patience = { timeout: Number(given.patience) * 1000 }
if (given.shots) mkdirSync(given.shots, { recursive: true })

const browser = await launch(given.chromium)
const window = await context(browser, {})
const page = await window.newPage()
page.setDefaultTimeout(120_000)
const complaints = listen(page)
let clicks = 0

async function shot(name) {
  if (given.shots) await page.screenshot({ path: join(given.shots, `six-${clicks}-${name}.png`), fullPage: true })
}

/** The only way this test uses the mouse. */
async function click(what, target) {
  await target.click()
  clicks += 1
  console.log(`click ${clicks}: ${what}`)
}

/** Checks a required text of a page. A value is a digit somewhere in the text. */
async function says(what, target, pattern = /\d/) {
  const text = (await target.innerText()).replace(/\s+/g, ' ').trim()
  if (!pattern.test(text)) throw new Error(`${what}: "${text.slice(0, 300)}" (expected: ${pattern})`)
  return text
}

async function whole(name) {
  await translated(page, 'en')
  await accessible(page)
  complaints.take()
  await shot(name)
}

async function journey() {
  await page.goto(given.base)
  await page.waitForSelector('[data-login]')
  const refused = await fillLogin(page, given.user, given.password)
  if (refused) throw new Error(`login of ${given.user}: ${refused}`)
  complaints.take(/401|Unauthorized/)

  const service = page.locator(`[data-service="${given.service}"]`)
  await service.locator(`[data-state="${given.state}"]`).waitFor(patience)
  await says('overview, cause', service.locator('.cause'), /\w+ \w+/)
  for (const pulse of await service.locator('.pulses dd b').all()) await says('overview, pulse', pulse)
  await shot('overview')

  await click('Diagnose', service.locator('[data-diagnose]'))
  const card = page.locator('[data-card]')
  await page.locator(`main [data-state="${given.state}"]`).first().waitFor()
  await page.locator('[data-flowchart] .node.taken').first().waitFor()
  await card.locator('h2').waitFor()
  await whole('diagnosis')

  const step = (node) => page.locator(`[data-path] [data-step="${node}"] button`)
  await click('the decision, for its evidence', step(given.decision))
  await card.locator('[data-verdict=yes]').waitFor()
  const evidence = await says('evidence', card.locator('[data-evidence] > li').first())
  for (const part of ['Value', 'Threshold', 'Source of the threshold', 'Window', 'Samples', 'Source']) {
    if (!evidence.includes(part)) throw new Error(`evidence: "${evidence}" (expected: ${part})`)
  }
  await says('confidence', card.getByText(/^Confidence: /), /high|medium|low/)
  await says('reasons of the confidence', card.locator('.reasons'), /\w+ \w+/)
  await whole('evidence')

  await click('the leaf, for its advice', step(given.leaf))
  const advice = card.locator('[data-advice]', { has: page.locator(`code:text-is("${given.setting}")`) }).first()
  const [before, after] = await Promise.all((await advice.locator('.value').all()).map((each) => says('value', each)))
  await says('place', advice.locator('.facts').first(), new RegExp(`${given.file}:\\d+`))
  await says('effect', advice.locator('[data-effect]'), /reload|restart|at once/)
  await says('why this advice', card.locator(`[data-led-by="${given.decision}"]`))
  await says('derivation', advice.locator('.body > div').filter({ hasText: 'Derivation of the value' }))
  await advice.locator('[data-step-tab=rollback]').waitFor()
  await advice.locator('[data-apply]').waitFor()
  await whole('advice')

  await click('Apply', advice.locator('[data-apply]'))
  const dialog = page.locator('[role=dialog]')
  await says('what will be done', dialog, new RegExp(`${given.setting}.* ${before} → ${after}.*${given.file}`))
  await whole('confirm')

  await click('yes, apply', dialog.locator('[data-confirm-apply]'))
  await advice.locator('[data-order=done]').waitFor(patience)
  if ((await advice.locator('[data-record]').count()) > 0) throw new Error('advice: can be recorded (expected: it was applied)')
  const verification = page.locator('[data-verification]')
  await verification.and(page.locator('[data-phase]:not([data-phase=done])')).waitFor(patience)
  await says('verification, time left', verification)
  await shot('verifying')
  await verification.and(page.locator('[data-phase=done]')).waitFor(patience)
  await says('verdict', verification.locator('h2 + [data-run-verdict]'), /improved/)
  await says('load', verification, /compared at the same load/)
  await whole('verified')

  await click('this run', verification.locator('[data-to-run]'))
  const run = page.locator('[data-opened-run]')
  await run.locator('[data-run-verdict=improved]').first().waitFor()
  await run.locator(`[data-state="${given.state}"]`).waitFor()
  await says('times', run.locator('[data-row=responseP50Millis]'), /▲ improved/)
  await says('the change', page.locator('[data-change]').filter({ hasText: given.user }).first(), new RegExp(`${given.setting}.*${before} → ${after}`))
  await whole('run')
  return { clicks, setting: given.setting, before, after }
}

let code = 0
try {
  console.log(JSON.stringify(await journey()))
} catch (error) {
  code = 1
  const shown = await page
    .locator('main')
    .innerText({ timeout: 5_000 })
    .catch((cause) => cause.message)
  console.log(`FAIL  after ${clicks} clicks: ${error.message}\n${page.url()} shows: ${shown.replace(/\s+/g, ' ').slice(0, 1_500)}`)
  try {
    complaints.take()
  } catch (noted) {
    console.log(noted.message)
  }
  await shot('failed').catch(() => null)
} finally {
  await browser.close()
}
process.exit(code)
