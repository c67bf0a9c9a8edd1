// A row of tabs that is wider than a telephone: the chosen one is shown, wherever in the row it stands.
import { watch, type Ref } from 'vue'

/** Scrolls the row, never the page, when another tab is chosen; whoever scrolls it by hand is left alone. */
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
