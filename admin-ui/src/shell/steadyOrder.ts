// A list that does not change its order while the pointer or the focus is in it, so that no button moves away from under the pointer.
import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'

/** The order is kept at most this long. */
export const HELD_MILLIS = 30_000

export interface SteadyOrder<T> {
  items: ComputedRef<T[]>
  /** Listeners for the element that contains the list. */
  hold: { pointerenter: () => void; pointerleave: () => void; focusin: () => void; focusout: () => void }
}

/**
 * @param wanted the items in the order that they should have
 * @param key returns a name that an item keeps
 */
export function steadyOrder<T>(wanted: Ref<T[]>, key: (item: T) => string, now: () => number = Date.now): SteadyOrder<T> {
  const kept = ref<string[]>(wanted.value.map(key))
  const pointed = ref(false)
  const focused = ref(false)
  let since = 0

  function update(): void {
    const held = (pointed.value || focused.value) && now() - since < HELD_MILLIS
    kept.value = held ? arrange(wanted.value, kept.value, key).map(key) : wanted.value.map(key)
  }
  watch(wanted, update)

  function change(what: Ref<boolean>, on: boolean): void {
    if (on && !pointed.value && !focused.value) since = now()
    what.value = on
    if (!on) update()
  }
  return {
    items: computed(() => arrange(wanted.value, kept.value, key)),
    hold: {
      pointerenter: () => change(pointed, true),
      pointerleave: () => change(pointed, false),
      focusin: () => change(focused, true),
      focusout: () => change(focused, false),
    },
  }
}

/** Returns the items in a given order; new items come last. */
export function arrange<T>(items: T[], order: string[], key: (item: T) => string): T[] {
  const place = new Map(order.map((name, index) => [name, index]))
  const at = (item: T): number => place.get(key(item)) ?? order.length
  return [...items].sort((one, other) => at(one) - at(other))
}
