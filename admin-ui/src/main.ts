// Entry point of the console: loads the language and the session, then shows the first page.
import { createApp } from 'vue'
import App from './App.vue'
import { whenEnded, whenLoggedOut } from './api/client'
import { i18n, loadLanguage } from './shell/i18n'
import { stopStream } from './shell/live'
import { watchPageCode } from './shell/pageCode'
import { noteNoResponse, noteResponse } from './shell/reachability'
import { routes } from './routes'
import { router } from './shell/router'
import { loadSession, session } from './shell/session'
import './styles/tokens.css'
import './styles/base.css'

for (const route of routes) router.addRoute(route)
watchPageCode(router)
whenEnded((responded) => (responded ? noteResponse() : noteNoResponse()))

whenLoggedOut(() => {
  if (!session.value?.user) return
  session.value = { ...session.value, user: null }
  stopStream()
  void router.push({ name: 'login', query: { next: router.currentRoute.value.fullPath } })
})

async function start(): Promise<void> {
  await loadLanguage()
  // Without a response the login page shows the error.
  await loadSession().catch(() => null)
  createApp(App).use(i18n).use(router).mount('#app')
}

void start()
