import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, nextTick, useTemplateRef } from 'vue'
import { useInSight } from './inSight'

/** Four tabs of 100 px in a row that shows two and a half of them. */
const Row = defineComponent({
  props: { chosen: { type: Number, required: true } },
  setup(props) {
    useInSight(useTemplateRef<HTMLElement>('row'), () => props.chosen)
  },
  template: '<nav ref="row"><a v-for="i in 4" :key="i" :aria-current="i === chosen ? \'page\' : undefined">{{ i }}</a></nav>',
})

function shown(chosen: number) {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    if (this.tagName !== 'A') return new DOMRect(0, 0, 250, 40)
    return new DOMRect((Number(this.textContent) - 1) * 100 - (this.parentElement?.scrollLeft ?? 0), 0, 100, 40)
  })
  const row = mount(Row, { props: { chosen } })
  return { row, nav: row.element as HTMLElement }
}

describe('inSight', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('tabBeyondTheEdge_isBroughtToTheMiddle_alsoWhenTheRowIsNew', async () => {
    const { row, nav } = shown(4)
    await nextTick()
    expect(nav.scrollLeft).toBe(225)
    await row.setProps({ chosen: 1 })
    expect(nav.scrollLeft).toBeLessThanOrEqual(0) // a browser stops at 0
  })

  it('tabInSight_leavesTheRowAsItWasScrolled', async () => {
    const { row, nav } = shown(1)
    await nextTick()
    nav.scrollLeft = 30
    await row.setProps({ chosen: 2 })
    expect(nav.scrollLeft).toBe(30)
  })
})
