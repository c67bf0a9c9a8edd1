// Scrolling of a row of tabs that is wider than a phone: the selected tab stays visible.
import { watch, type Ref } from 'vue'

/** Scrolls the row, never the page, when another tab is selected. Scrolling by hand is not changed. */
export function useInSight(row: Readonly<Ref<HTMLElement | null>>, chosen: () => unknown): void {
  watch(
    [row, chosen],
    () => {
      const tab = row.value?.querySelector<HTMLElement>('[aria-current=page]')
      if (!row.value || !tab) return
      const [frame, box] = [row.value.getBoundingClientRect(), tab.getBoundingClientRect()]
      if (box.left < frame.left || box.right > frame.right) row.value.scrollLeft += box.left - frame.left - (frame.width - box.width) / 2
    },
    { flush: 'post', immediate: true },
  )
}
