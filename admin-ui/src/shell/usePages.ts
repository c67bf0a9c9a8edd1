// Lists that are loaded page by page with an opaque cursor.
import { computed, shallowRef } from 'vue'
import { useLoad } from './useLoad'

export interface Page<T> {
  items: T[]
  nextCursor?: string | null
}

export function usePages<T>(request: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>) {
  const items = shallowRef<T[]>([])
  const cursor = shallowRef<string | undefined>(undefined)
  const loaded = shallowRef(false)

  const load = useLoad(async (signal) => {
    const wanted = cursor.value
    const page = await request(wanted, signal)
    items.value = wanted === undefined ? page.items : [...items.value, ...page.items]
    cursor.value = page.nextCursor ?? undefined
    loaded.value = true
    return page
  })

  return {
    items,
    loaded,
    failure: load.failure,
    loading: load.loading,
    hasMore: computed(() => cursor.value !== undefined),
    /** Loads the first page again. */
    async restart(): Promise<void> {
      cursor.value = undefined
      await load.reload()
    },
    async more(): Promise<void> {
      await load.reload()
    },
  }
}
