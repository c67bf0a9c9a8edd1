// All pages with their addresses. The code of a page is loaded at its first visit.
import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/overview' },
  { path: '/login', name: 'login', component: () => import('./views/login/LoginPage.vue'), meta: { open: true, title: 'login.title' } },
  { path: '/password', name: 'password', component: () => import('./views/login/PasswordPage.vue'), meta: { title: 'password.title' } },
  { path: '/overview', name: 'overview', component: () => import('./views/overview/OverviewPage.vue'), meta: { title: 'nav.overview' } },
  { path: '/services', name: 'services', component: () => import('./views/services/ServicesPage.vue'), meta: { title: 'nav.services' } },
  {
    path: '/services/:service/:tab(indices|outside|host|connections|settings|thresholds|history)?',
    name: 'service',
    component: () => import('./views/services/ServicePage.vue'),
    props: true,
    meta: { title: 'nav.services' },
  },
  { path: '/caches', name: 'caches', component: () => import('./views/caches/CachesPage.vue'), meta: { title: 'nav.caches' } },
  {
    path: '/caches/:service/:tab(figures|management|contents)?',
    name: 'cache',
    component: () => import('./views/caches/CachePage.vue'),
    props: true,
    meta: { title: 'nav.caches' },
  },
  { path: '/clusters', name: 'clusters', component: () => import('./views/clusters/ClustersPage.vue'), meta: { title: 'nav.clusters' } },
  {
    path: '/clusters/:cluster/:tab(members|routes|lines|history)?',
    name: 'cluster',
    component: () => import('./views/clusters/ClusterPage.vue'),
    props: true,
    meta: { title: 'nav.clusters' },
  },
  { path: '/tuning', name: 'tuning', component: () => import('./views/tuning/TuningPage.vue'), meta: { title: 'nav.tuning' } },
  { path: '/tuning/:service', name: 'diagnosis', component: () => import('./views/tuning/TuningPage.vue'), props: true, meta: { title: 'nav.tuning' } },
  {
    path: '/alerts/:tab(firing|ended|silences|receivers|rules)?',
    name: 'alerts',
    component: () => import('./views/alerts/AlertsPage.vue'),
    props: true,
    meta: { title: 'nav.alerts' },
  },
  { path: '/capacity', name: 'capacity', component: () => import('./views/capacity/CapacityPage.vue'), meta: { title: 'nav.capacity' } },
  { path: '/capacity/:service', name: 'service-capacity', component: () => import('./views/capacity/ServiceCapacityPage.vue'), props: true, meta: { title: 'nav.capacity' } },
  { path: '/changes', name: 'changes', component: () => import('./views/changes/ChangesPage.vue'), meta: { title: 'nav.changes' } },
  {
    path: '/settings/:section(account|sessions|users|tokens|audit|sources)?',
    name: 'settings',
    component: () => import('./views/settings/SettingsPage.vue'),
    props: true,
    meta: { title: 'nav.settings' },
  },
  { path: '/:rest(.*)*', name: 'lost', component: () => import('./views/LostPage.vue'), meta: { title: 'lost.title' } },
]
