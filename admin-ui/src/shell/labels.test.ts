import { describe, expect, it } from 'vitest'
import { matches, shared, texts } from './labels'

describe('labels', () => {
  it.each([
    ['team=shop', { team: 'shop', tier: 'web' }, true],
    ['team=shop, tier=web', { team: 'shop', tier: 'web' }, true],
    ['team=shop,tier=web', { team: 'shop' }, false],
    ['team=bank', { team: 'shop' }, false],
    ['team=sho', { team: 'shop' }, false],
    ['team', { team: 'shop' }, false],
  ] as [string, Record<string, string>, boolean][])('%s matches %o: %s', (selector, labels, expected) => {
    expect(matches(selector, labels)).toBe(expected)
  })

  it('shared_leavesOutValuesOfOneService', () => {
    const services = [{ unit: 'a', team: 'shop' }, { unit: 'b', team: 'shop' }, { unit: 'c', team: 'bank' }, { tier: 'web' }, { tier: 'web', team: 'bank' }]
    expect(shared(services.map((labels) => ({ labels: labels as unknown as Record<string, string> })))).toEqual([
      ['team', ['team=bank', 'team=shop']],
      ['tier', ['tier=web']],
    ])
  })

  it('texts_areSelectorsOfOneLabel', () => {
    expect(texts({ team: 'shop', tier: 'web' })).toEqual(['team=shop', 'tier=web'])
  })
})
