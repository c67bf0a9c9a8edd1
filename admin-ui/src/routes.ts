// All pages with their addresses. The code of a page is loaded at its first visit.
import type { RouteRecordRaw } from 'vue-router'
import { withTexts } from './shell/i18n'
import { SECTION_NAMES } from './views/settings/sections'

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/overview' },
  { path: '/login', name: 'login', component: () => import('./views/login/LoginPage.vue'), meta: { open: true, title: 'login.title' } },
  { path: '/confirmed', name: 'confirmed', component: () => import('./views/login/ConfirmedPage.vue'), meta: { open: true, title: 'confirmed.title' } },
  { path: '/password', name: 'password', component: () => import('./views/login/PasswordPage.vue'), meta: { gate: true, title: 'password.title' } },
  { path: '/second-factor', name: 'second-factor', component: () => withTexts('settings', () => import('./views/login/SecondFactorPage.vue')), meta: { gate: true, title: 'secondFactor.setUpTitle' } },
  { path: '/overview', name: 'overview', component: () => import('./views/overview/OverviewPage.vue'), meta: { title: 'nav.overview' } },
  { path: '/services', name: 'services', component: () => import('./views/services/ServicesPage.vue'), meta: { title: 'nav.services' } },
  {
    path: '/services/:service/:tab(indices|outside|host|connections|settings|thresholds|history)?',
    name: 'service',
    component: () => import('./views/services/ServicePage.vue'),
    props: true,
    meta: { title: 'nav.services', range: true, timeless: ['settings', 'thresholds'] },
  },
  { path: '/groups', name: 'groups', component: () => import('./views/groups/GroupsPage.vue'), meta: { title: 'nav.groups' } },
  { path: '/groups/:group', name: 'group', component: () => import('./views/groups/GroupPage.vue'), props: true, meta: { title: 'nav.groups' } },
  { path: '/caches', name: 'caches', component: () => withTexts('caches', () => import('./views/caches/CachesPage.vue')), meta: { title: 'nav.caches' } },
  {
    path: '/caches/:service/:tab(figures|management|contents)?',
    name: 'cache',
    component: () => withTexts('caches', () => import('./views/caches/CachePage.vue')),
    props: true,
    meta: { title: 'nav.caches', range: true, timeless: ['management', 'contents'] },
  },
  { path: '/clusters', name: 'clusters', component: () => withTexts('clusters', () => import('./views/clusters/ClustersPage.vue')), meta: { title: 'nav.clusters' } },
  {
    path: '/clusters/:cluster/:tab(members|routes|lines|history)?',
    name: 'cluster',
    component: () => withTexts('clusters', () => import('./views/clusters/ClusterPage.vue')),
    props: true,
    meta: { title: 'nav.clusters' },
  },
  { path: '/tuning', name: 'tuning', component: () => import('./views/tuning/TuningPage.vue'), meta: { title: 'nav.tuning' } },
  { path: '/tuning/:service', name: 'diagnosis', component: () => import('./views/tuning/TuningPage.vue'), props: true, meta: { title: 'nav.tuning' } },
  {
    path: '/incidents/:incident',
    name: 'incident',
    component: () => import('./views/incidents/IncidentPage.vue'),
    props: true,
    meta: { title: 'incidents.title' },
  },
  {
    path: '/alerts/:tab(firing|incidents|ended|silences|receivers|rules)?',
    name: 'alerts',
    component: () => import('./views/alerts/AlertsPage.vue'),
    props: true,
    meta: { title: 'nav.alerts' },
  },
  { path: '/capacity', name: 'capacity', component: () => import('./views/capacity/CapacityPage.vue'), meta: { title: 'nav.capacity' } },
  { path: '/capacity/:service', name: 'service-capacity', component: () => import('./views/capacity/ServiceCapacityPage.vue'), props: true, meta: { title: 'nav.capacity' } },
  { path: '/changes', name: 'changes', component: () => import('./views/changes/ChangesPage.vue'), meta: { title: 'nav.changes' } },
  {
    path: `/settings/:section(${SECTION_NAMES.join('|')})?`,
    name: 'settings',
    component: () => withTexts('settings', () => import('./views/settings/SettingsPage.vue')),
    props: true,
    meta: { title: 'nav.settings' },
  },
  { path: '/:rest(.*)*', name: 'lost', component: () => import('./views/LostPage.vue'), meta: { title: 'lost.title' } },
]
