// The login as hands do it, by what the pages of Playwright and Puppeteer have in common.

const WAIT = 60_000

async function type(page, selector, text) {
  await (await page.waitForSelector(selector, { timeout: WAIT, visible: true })).click()
  await page.keyboard.type(text)
}

/** Logs in, and replaces a one-time password by `fresh`. Throws an error when the login is refused. */
export async function logIn(page, { base, user, password, fresh }) {
  await page.goto(base)
  await type(page, '[data-login] [name=name]', user)
  await type(page, '[data-login] [name=password]', password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-login] [role=alert], [data-password], [data-services], [data-empty]', { timeout: WAIT, visible: true })
  const shows = (selector) => page.evaluate((where) => document.querySelector(where) !== null, selector)
  if (await shows('[data-login] [role=alert]')) throw new Error(`login of ${user}: refused`)
  if (!(await shows('[data-password]'))) return
  await type(page, '[data-password] [name=current]', password)
  await type(page, '[data-password] [name=new]', fresh)
  await type(page, '[data-password] [name=again]', fresh)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-services], [data-empty], [data-entry]', { timeout: WAIT, visible: true })
}
