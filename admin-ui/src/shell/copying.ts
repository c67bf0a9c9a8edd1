// Copies a text to the clipboard and tells how it went.
import { ref } from 'vue'

export function useCopying() {
  const copied = ref<'no' | 'yes' | 'failed'>('no')

  /** Copies a text. A page over plain HTTP from another host has no clipboard: then the result is 'failed'. */
  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      copied.value = 'yes'
    } catch {
      copied.value = 'failed'
    }
  }

  return { copied, copy }
}
