// Loading from the REST service: one request at a time, the newest request wins, and the old data stays visible until it completes.
import { onScopeDispose, ref, shallowRef, type ShallowRef } from 'vue'
import { RequestFailed } from '../api/client'
import { noteNews } from './live'

export interface Load<T> {
  data: ShallowRef<T | null>
  failure: ShallowRef<RequestFailed | null>
  loading: ShallowRef<boolean>
  reload(): Promise<void>
}

export function useLoad<T>(request: (signal: AbortSignal) => Promise<T>): Load<T> {
  const data = shallowRef<T | null>(null) as ShallowRef<T | null>
  const failure = shallowRef<RequestFailed | null>(null)
  const loading = ref(false)
  let running: AbortController | null = null

  async function reload(): Promise<void> {
    running?.abort()
    const mine = new AbortController()
    running = mine
    loading.value = true
    try {
      const fresh = await request(mine.signal)
      if (running !== mine) return
      data.value = fresh
      failure.value = null
      noteNews()
    } catch (cause) {
      if (running !== mine) return
      failure.value = cause instanceof RequestFailed ? cause : new RequestFailed(0, null)
    } finally {
      if (running === mine) {
        loading.value = false
        running = null
      }
    }
  }

  onScopeDispose(() => {
    running?.abort()
    running = null
  })
  return { data, failure, loading, reload }
}
