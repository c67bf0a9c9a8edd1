import { describe, expect, it } from 'vitest'
import type { Overview } from '../../api/types'
import { condense } from './condense'

type Item = NonNullable<Overview['recent']>[number]
const item = (second: number, service: string, kind: Item['kind'] = 'change'): Item => ({
  at: new Date(1_000_000_000_000 + second * 1000).toISOString(),
  kind,
  service,
  text: { en: `${service} ${second}`, ja: '' },
})

describe('condense', () => {
  it('condense_fourChangesWithinAMinute_areOneLine', () => {
    const lines = condense([item(100, 'b', 'transition'), item(90, 'a'), item(89, 'b'), item(80, 'a'), item(50, 'a'), item(31, 'a'), item(29, 'a')])
    expect(lines.map((each) => [each.item.text.en, each.burst.length])).toEqual([['b 100', 0], ['a 90', 4], ['b 89', 0], ['a 29', 0]])
  })

  it('condense_threeChanges_stayThree', () => {
    expect(condense([item(3, 'a'), item(2, 'a'), item(1, 'a')])).toHaveLength(3)
  })

  it('condense_transitions_areNeverHidden', () => {
    expect(condense([5, 4, 3, 2, 1].map((each) => item(each, 'a', 'transition')))).toHaveLength(5)
  })
})
