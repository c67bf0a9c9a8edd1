// The elements of a list that are in sight, by the key in their attribute data-key.
import { onScopeDispose, ref, watch, type Ref } from 'vue'

/** @param list the element whose children with data-key are watched; read again whenever `content` changes */
export function useInView(list: Readonly<Ref<HTMLElement | null>>, content: () => unknown): Ref<string[]> {
  const keys = ref<string[]>([])
  const visible = new Map<Element, string>()
  const observer = new IntersectionObserver((changes) => {
    for (const each of changes) {
      if (each.isIntersecting) visible.set(each.target, (each.target as HTMLElement).dataset.key ?? '')
      else visible.delete(each.target)
    }
    keys.value = [...visible.values()]
  })

  watch(
    [list, content],
    () => {
      observer.disconnect()
      visible.clear()
      for (const each of list.value?.querySelectorAll('[data-key]') ?? []) observer.observe(each)
    },
    { flush: 'post', immediate: true },
  )
  onScopeDispose(() => observer.disconnect())
  return keys
}
