// Shortcuts of one key or of two keys in sequence ("g o"). They are inactive in input fields.
import { onBeforeUnmount, onMounted } from 'vue'

const SEQUENCE_MILLIS = 1000

export type Shortcuts = Record<string, () => void>

/** Returns the meaning of a key press after the previous key. Pure, for the tests. */
export function meaning(shortcuts: Shortcuts, before: string | null, key: string): string | null {
  if (before !== null && `${before} ${key}` in shortcuts) return `${before} ${key}`
  return key in shortcuts ? key : null
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

export function useShortcuts(shortcuts: Shortcuts): void {
  let before: string | null = null
  let beforeAt = 0

  function pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return
    if (document.querySelector('[role="dialog"]')) return
    const recent = event.timeStamp - beforeAt < SEQUENCE_MILLIS ? before : null
    const found = meaning(shortcuts, recent, event.key)
    before = event.key
    beforeAt = event.timeStamp
    if (found === null) return
    before = null
    event.preventDefault()
    shortcuts[found]?.()
  }

  onMounted(() => window.addEventListener('keydown', pressed))
  onBeforeUnmount(() => window.removeEventListener('keydown', pressed))
}
