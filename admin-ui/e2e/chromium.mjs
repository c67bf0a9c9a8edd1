// The browser every end-to-end test uses: Chromium without a screen, and quiet on the network.
import { chromium } from 'playwright-core'

export const CHROMIUM = '/usr/bin/chromium'

export function launch(executablePath) {
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
}

/** A window of its own; what is waited for may take a while on a busy machine. */
export async function context(browser, options) {
  const made = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options })
  made.setDefaultTimeout(60_000)
  return made
}
