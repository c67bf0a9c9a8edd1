import { beforeEach, expect, it } from 'vitest'
import { router } from './router'
import { session } from './session'

const page = { template: '<p/>' }
for (const [name, meta] of [
  ['login', { open: true }],
  ['password', { gate: true }],
  ['second-factor', { gate: true }],
  ['overview', {}],
  ['alerts', {}],
] as const) {
  router.addRoute({ path: `/${name}`, name, component: page, meta: { title: name, ...meta } })
}

const as = (mustChangePassword: boolean, mustSetUpSecondFactor: boolean) => {
  session.value = { user: { name: 'one', role: 'viewer', lastLogin: null }, mustChangePassword, mustSetUpSecondFactor, csrfToken: '', version: '' }
}
const goTo = async (path: string) => {
  await router.push(path)
  return router.currentRoute.value.name
}

beforeEach(() => router.push('/login').catch(() => null))

it('page_whileAnObligationIsOpen_leadsToIt_thePasswordFirst', async () => {
  as(true, true)
  expect(await goTo('/alerts')).toBe('password')
  expect(await goTo('/second-factor')).toBe('password')
  as(false, true)
  expect(await goTo('/alerts')).toBe('second-factor')
  expect(await goTo('/password')).toBe('second-factor')
  as(false, false)
  expect(await goTo('/alerts')).toBe('alerts')
  expect(await goTo('/second-factor')).toBe('overview')
})
