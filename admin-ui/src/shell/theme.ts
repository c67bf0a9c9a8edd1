// Light, dark, or as the system says. public/theme.js applies the same choice before the first paint.
import { ref } from 'vue'

export type Theme = 'system' | 'light' | 'dark'
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

const KEY = 'komainu.theme'

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage refused: the choice lasts as long as the tab.
  }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function stored(): Theme {
  const value = recall(KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}

export const theme = ref<Theme>(stored())

const system = window.matchMedia('(prefers-color-scheme: dark)')

/** What is on the screen now; canvases, which no style sheet reaches, watch this. */
export const isDark = ref(false)

function refresh(): void {
  isDark.value = theme.value === 'dark' || (theme.value === 'system' && system.matches)
}
system.addEventListener('change', refresh)
refresh()

export function setTheme(value: Theme): void {
  theme.value = value
  if (value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = value
  remember(KEY, value)
  refresh()
}
