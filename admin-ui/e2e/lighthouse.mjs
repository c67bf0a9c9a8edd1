// Lighthouse on pages of the console, logged in, in Debian's Chromium.
//
//   node e2e/lighthouse.mjs --base URL --user NAME --password PW [--new-password PW] --lighthouse DIR [--least 95] [--pages /overview,/services]
//
// --lighthouse: the directory in which npm installed lighthouse. Prints a row for each page. Exit code 1 if accessibility or best practices of a
// page are below --least.
// Decision: docs/decisions/0109-lighthouse.md
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'
import puppeteer from 'puppeteer-core'
import { CHROMIUM } from './chromium.mjs'
import { logIn } from './login.mjs'

const { values: given } = parseArgs({
  options: {
    base: { type: 'string' },
    user: { type: 'string', default: 'admin' },
    password: { type: 'string' },
    'new-password': { type: 'string' },
    lighthouse: { type: 'string' },
    least: { type: 'string', default: '95' },
    pages: { type: 'string', default: '/overview,/services,/tuning,/alerts,/settings' },
  },
})
if (!given.base || !given.password || !given.lighthouse) {
  console.error('usage: node e2e/lighthouse.mjs --base URL --user NAME --password PW [--new-password PW] --lighthouse DIR [--least N] [--pages LIST]')
  process.exit(2)
}
const CATEGORIES = ['accessibility', 'best-practices', 'performance']
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(join(given.lighthouse, 'node_modules/lighthouse/core/index.js')).href)

const browser = await puppeteer.launch({ executablePath: CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] })
const page = await browser.newPage()

function row(path, report) {
  const score = (name) => Math.round(100 * (report.categories[name]?.score ?? 0))
  const failing = Object.values(report.audits)
    .filter((audit) => audit.score === 0 && ['accessibility', 'best-practices'].some((name) => report.categories[name].auditRefs.some((ref) => ref.id === audit.id && ref.weight > 0)))
    .map((audit) => audit.id)
  console.log(`| ${path} | ${score('accessibility')} | ${score('best-practices')} | ${score('performance')} | ${failing.join(', ') || '–'} |`)
  return score('accessibility') >= Number(given.least) && score('best-practices') >= Number(given.least)
}

let good = true
try {
  await logIn(page, { base: given.base, user: given.user, password: given.password, fresh: given['new-password'] ?? `${given.password}-changed-once` })
  console.log('| page | accessibility | best practices | performance | failing audits |\n|---|---|---|---|---|')
  for (const path of given.pages.split(',')) {
    // The stream never ends, so the page is not waited for until the network is quiet.
    const config = { ...desktopConfig, settings: { ...desktopConfig.settings, maxWaitForLoad: 15_000, onlyCategories: CATEGORIES, disableStorageReset: true } }
    const { lhr } = await lighthouse(`${given.base}/#${path}`, {}, config, page)
    if ((await page.$('[data-login]')) !== null) throw new Error(`${path}: the login (expected: the page)`)
    if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.message}`)
    good = row(path, lhr) && good
  }
} finally {
  await browser.close()
}
process.exit(good ? 0 : 1)
