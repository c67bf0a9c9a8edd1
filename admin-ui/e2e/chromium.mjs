// The browser of all end-to-end tests: headless Chromium without background network traffic.
import { chromium } from 'playwright-core'

export const CHROMIUM = '/usr/bin/chromium'

export function launch(executablePath) {
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
}

/** Opens a separate window. Timeouts are long, because the machine may be busy. */
export async function context(browser, options) {
  const made = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options })
  made.setDefaultTimeout(60_000)
  return made
}
