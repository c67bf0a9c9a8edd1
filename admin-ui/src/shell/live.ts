// The stream of the tab, its freshness and the pause switch.
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { base } from '../api/client'
import { LiveStream, type StreamStatus, type Subscription } from '../api/stream'

export const streamStatus = shallowRef<StreamStatus>('idle')
export const lastNews = ref(0)
/** Ticks once a second, for "3 s ago". */
export const now = ref(Date.now())
/** Pause switch: paused pages keep their data. The stream stays open, so resuming is immediate. */
export const paused = ref(false)

/** Version of the fleet that this tab holds. A stream that is opened with it begins with the changes since. */
let heldVersion = ''

export function holdVersion(version: string): void {
  heldVersion = version
}

const stream: LiveStream = new LiveStream(
  (topics) => new EventSource(`${base}/api/v1/stream?topics=${encodeURIComponent(topics)}${heldVersion ? `&version=${encodeURIComponent(heldVersion)}` : ''}`),
  {
    now: () => Date.now(),
    setTimeout: (action, millis) => window.setTimeout(action, millis),
    clearTimeout: (id) => window.clearTimeout(id),
  },
  () => {
    streamStatus.value = stream.status
    lastNews.value = stream.lastNews
  },
)

window.addEventListener('offline', () => stream.lost())
window.setInterval(() => (now.value = Date.now()), 1000)

export const ageSeconds = computed(() =>
  lastNews.value === 0 ? null : Math.max(0, Math.round((now.value - lastNews.value) / 1000)),
)

/** Subscribes to a topic until the calling component is unmounted. */
export function follow(subscription: Subscription): () => void {
  const end = stream.subscribe(subscription)
  onScopeDispose(end)
  return end
}

export function noteNews(): void {
  stream.noteNews()
}

export function stopStream(): void {
  stream.stop()
}
