// The theme: light, dark or the system's setting. public/theme.js applies it before the first paint.
import { ref } from 'vue'

export type Theme = 'system' | 'light' | 'dark'
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

const KEY = 'komainu.theme'

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage is refused: the choice is valid for this tab only.
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

/** The current theme. Canvases watch it, because style sheets do not apply to them. */
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
