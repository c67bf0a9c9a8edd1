// The walk of docs/from-alert-to-verified.md in a browser: the link of an alert's mail → log in → first advice → apply → verified.
//
//   node e2e/walk.mjs --link URL --user NAME --password PW --apply-at EPOCH-SECONDS [--patience SECONDS] [--shots DIR] [--chromium PATH]
//
// It chooses nothing: it applies the first advice that the page shows. The last line is JSON: seconds since 1970 of each step, the advice
// and the verdict. Exit code 1 when a step is impossible. Changes a real server: its agent must allow changes.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHROMIUM, context, launch } from './chromium.mjs'

const needed = ['link', 'user', 'password', 'apply-at']
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
  console.error(`walk: not given: ${missing.map((name) => `--${name}`).join(' ')}`)
  process.exit(2)
}
const patience = { timeout: Number(given.patience) * 1000 }
if (given.shots) mkdirSync(given.shots, { recursive: true })

const browser = await launch(given.chromium)
const page = await (await context(browser, {})).newPage()
page.setDefaultTimeout(patience.timeout)
const at = {}

async function done(step) {
  at[step] = Date.now() / 1000
  if (given.shots) await page.screenshot({ path: join(given.shots, `${Object.keys(at).length}-${step}.png`), fullPage: true })
}

const text = async (target) => (await target.innerText()).replace(/\s+/g, ' ').trim()

async function walk() {
  await page.goto(given.link)
  await page.fill('[data-login] [name=name]', given.user)
  await page.fill('[data-login] [name=password]', given.password)
  await page.click('[data-login] [type=submit]')
  const card = page.locator('[data-card]')
  await card.locator('h2').waitFor()
  await done('opened')

  const advice = card.locator('[data-advice]').first()
  await advice.waitFor()
  const found = { leaf: await text(card.locator('h2')), advice: await advice.getAttribute('data-advice') }
  const apply = advice.locator('[data-apply]')
  const obstacle = advice.locator('[data-obstacle]')
  await apply.or(obstacle).first().waitFor()
  if ((await apply.count()) === 0) throw new Error(`${found.advice}: cannot be applied: ${await text(obstacle)}`)
  await done('advised')

  const left = Number(given['apply-at']) * 1000 - Date.now()
  if (left > 0) await page.waitForTimeout(left)
  await apply.click()
  const dialog = page.locator('[role=dialog]')
  found.change = await text(dialog)
  await dialog.locator('[data-confirm-apply]').click()
  await advice.locator('[data-order]:not([data-order=open])').waitFor()
  const order = await advice.locator('[data-order]').getAttribute('data-order')
  if (order !== 'done') throw new Error(`${found.advice}: order ${order}: ${await text(advice.locator('[data-order]'))}`)
  await done('applied')

  const verification = page.locator('[data-verification]')
  await verification.and(page.locator('[data-phase=done]')).waitFor()
  const verdict = verification.locator('h2 + [data-run-verdict]')
  await done('verified')
  return { at, ...found, verdict: await verdict.getAttribute('data-run-verdict') }
}

let code = 0
try {
  console.log(JSON.stringify(await walk()))
} catch (error) {
  code = 1
  await done('failed').catch(() => null)
  console.log(JSON.stringify({ at, trouble: error.message.split('\n')[0] }))
} finally {
  await browser.close()
}
process.exit(code)
