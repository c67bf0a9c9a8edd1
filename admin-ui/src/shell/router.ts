// The router. Addresses are behind a "#", so that any web server for static files can serve the console.
import { createRouter, createWebHashHistory, type RouteLocationNormalized } from 'vue-router'
import { range, rangeOf, rangeQuery, sameRange, type Range } from './range'
import { session } from './session'

declare module 'vue-router' {
  interface RouteMeta {
    /** The page is shown without a session. */
    open?: boolean
    /** The page is shown to a user who can do nothing else yet, without navigation. */
    gate?: boolean
    /** Locale key of the page title. */
    title: string
    /** The page shows the time range. */
    range?: boolean
    /** Tabs of such a page that do not. */
    timeless?: readonly string[]
  }
}

/** The router without pages; routes.ts adds them. */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [],
  scrollBehavior: (to, from, saved) => saved ?? (to.path === from.path ? undefined : { top: 0 }),
})

router.beforeEach((to) => {
  const user = session.value?.user
  if (!user && !to.meta.open) return { name: 'login', query: to.path === '/' ? {} : { next: to.fullPath } }
  const gate = session.value?.mustChangePassword ? 'password' : session.value?.mustSetUpSecondFactor ? 'second-factor' : null
  if (user && gate && to.name !== gate) return { name: gate }
  if (user && !gate && to.name === 'second-factor') return { name: 'overview' }
  if (user && to.name === 'login') return { name: 'overview' }
  return carryRange(to)
})

/** Adds the current range to links without one. Every address has a range, so that Back works. */
function carryRange(to: RouteLocationNormalized) {
  if (to.meta.open || to.meta.gate) return true
  const named = rangeOf(to.query)
  if (!named) return { path: to.path, query: { ...to.query, ...rangeQuery(range.value) }, replace: true }
  if (!sameRange(named, range.value)) range.value = named
  return true
}

/** Reports whether a page shows the time range. */
export function usesRange(route: Pick<RouteLocationNormalized, 'meta' | 'params'>): boolean {
  return route.meta.range === true && !route.meta.timeless?.includes(String(route.params.tab))
}

/** Sets another range for all pages. The browser's Back button returns to the previous one. */
export async function goToRange(next: Range): Promise<void> {
  const { from: _from, to: _to, range: _range, ...others } = router.currentRoute.value.query
  await router.push({ query: { ...others, ...rangeQuery(next) } })
}
