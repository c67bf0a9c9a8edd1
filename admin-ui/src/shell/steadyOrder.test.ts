import { describe, expect, it } from 'vitest'
import { nextTick, ref } from 'vue'
import { HELD_MILLIS, steadyOrder } from './steadyOrder'

describe('steady order', () => {
  it('pointed_keepsTheOrderAndAppendsWhatIsNew', async () => {
    const wanted = ref(['a', 'b'])
    const { items, hold } = steadyOrder(wanted, (each) => each, () => 0)
    hold.pointerenter()
    wanted.value = ['c', 'b', 'a']
    await nextTick()
    expect(items.value).toEqual(['a', 'b', 'c'])

    hold.pointerleave()
    expect(items.value).toEqual(['c', 'b', 'a'])
  })

  it('notPointed_followsAtOnce', async () => {
    const wanted = ref(['a', 'b'])
    const { items } = steadyOrder(wanted, (each) => each)
    wanted.value = ['b', 'a']
    await nextTick()
    expect(items.value).toEqual(['b', 'a'])
  })

  it('pointedForLong_followsAgain', async () => {
    let time = 0
    const wanted = ref(['a', 'b'])
    const { items, hold } = steadyOrder(wanted, (each) => each, () => time)
    hold.focusin()
    time = HELD_MILLIS
    wanted.value = ['b', 'a']
    await nextTick()
    expect(items.value).toEqual(['b', 'a'])
  })

  it('gone_isNotShown', async () => {
    const wanted = ref(['a', 'b'])
    const { items, hold } = steadyOrder(wanted, (each) => each, () => 0)
    hold.pointerenter()
    wanted.value = ['b']
    await nextTick()
    expect(items.value).toEqual(['b'])
  })
})
