// Addresses. Behind a "#", so that any web server that can serve a folder can serve the console.
import { createRouter, createWebHashHistory, type RouteLocationNormalized } from 'vue-router'
import { range, rangeOf, rangeQuery, sameRange, type Range } from './range'
import { session } from './session'

declare module 'vue-router' {
  interface RouteMeta {
    /** Shown without a session. */
    open?: boolean
    /** Key of the page's title. */
    title: string
  }
}

export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', redirect: '/overview' },
    { path: '/login', name: 'login', component: () => import('../views/login/LoginPage.vue'), meta: { open: true, title: 'login.title' } },
    { path: '/password', name: 'password', component: () => import('../views/login/PasswordPage.vue'), meta: { title: 'password.title' } },
    { path: '/overview', name: 'overview', component: () => import('../views/overview/OverviewPage.vue'), meta: { title: 'nav.overview' } },
    { path: '/services', name: 'services', component: () => import('../views/services/ServicesPage.vue'), meta: { title: 'nav.services' } },
    {
      path: '/services/:service/:tab(indices|host|connections|settings|history)?',
      name: 'service',
      component: () => import('../views/services/ServicePage.vue'),
      props: true,
      meta: { title: 'nav.services' },
    },
    { path: '/tuning', name: 'tuning', component: () => import('../views/tuning/TuningPage.vue'), meta: { title: 'nav.tuning' } },
    { path: '/tuning/:service', name: 'diagnosis', component: () => import('../views/tuning/TuningPage.vue'), props: true, meta: { title: 'nav.tuning' } },
    { path: '/changes', name: 'changes', component: () => import('../views/changes/ChangesPage.vue'), meta: { title: 'nav.changes' } },
    {
      path: '/settings/:section(account|users|tokens|audit|sources)?',
      name: 'settings',
      component: () => import('../views/settings/SettingsPage.vue'),
      props: true,
      meta: { title: 'nav.settings' },
    },
    { path: '/:rest(.*)*', name: 'lost', component: () => import('../views/LostPage.vue'), meta: { title: 'lost.title' } },
  ],
  scrollBehavior: (to, from, saved) => saved ?? (to.path === from.path ? undefined : { top: 0 }),
})

router.beforeEach((to) => {
  const user = session.value?.user
  if (!user && !to.meta.open) return { name: 'login', query: to.path === '/' ? {} : { next: to.fullPath } }
  if (user && session.value?.mustChangePassword && to.name !== 'password') return { name: 'password' }
  if (user && to.name === 'login') return { name: 'overview' }
  return carryRange(to)
})

/** A link without a range means "the one I am looking at"; every address then names its own, so that Back works. */
function carryRange(to: RouteLocationNormalized) {
  if (to.meta.open || to.name === 'password') return true
  const named = rangeOf(to.query)
  if (!named) return { path: to.path, query: { ...to.query, ...rangeQuery(range.value) }, replace: true }
  if (!sameRange(named, range.value)) range.value = named
  return true
}

/** Moves every screen to another range; the browser's Back returns. */
export async function goToRange(next: Range): Promise<void> {
  const { from: _from, to: _to, range: _range, ...others } = router.currentRoute.value.query
  await router.push({ query: { ...others, ...rangeQuery(next) } })
}
