import { createMemoryHistory, createRouter } from 'vue-router'
import { expect, test } from 'vitest'
import { unloadedPage, watchPageCode } from './pageCode'
import { noteNoResponse, noteResponse, silentSince } from './reachability'

test('a page whose code cannot be loaded is told until another page is shown', async () => {
  const page = { template: '<p/>' }
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/', component: page },
      { path: '/gone', component: () => Promise.reject(new TypeError('Failed to fetch dynamically imported module')) },
      { path: '/there', component: page },
    ],
  })
  watchPageCode(router)
  await router.push('/')
  await router.push('/gone?range=15m').catch(() => null)
  expect(unloadedPage.value).toBe('/gone?range=15m')
  await router.push('/there')
  expect(unloadedPage.value).toBeNull()
})

test('the first request without a response begins the silence, and a response ends it', () => {
  noteNoResponse(1_000)
  noteNoResponse(2_000)
  expect(silentSince.value).toBe(1_000)
  noteResponse()
  expect(silentSince.value).toBeNull()
})
