import { describe, expect, it } from 'vitest'
import type { RuleThresholds, ThresholdCondition } from '../../api/types'
import { byState, distance, nearness } from './ruleDistance'

const condition = (comparison: ThresholdCondition['comparison'], value: number | null, threshold: number, more: Partial<ThresholdCondition> = {}): ThresholdCondition =>
  ({ measure: `${comparison}${threshold}`, comparison, value, threshold, met: null, passesUnknown: false, ...more }) as ThresholdCondition
const rule = (name: string, state: RuleThresholds['state'], ...conditions: ThresholdCondition[]): RuleThresholds => ({ rule: name, state, rank: 50, cause: { en: '', ja: '' }, conditions })

describe('distance of a rule', () => {
  it.each([
    [condition('>=', 45, 90), 0.5],
    [condition('>', 90, 90), 0.99],
    [condition('<=', 40, 10), 0.25],
    [condition('<', 0, 10), 0],
    [condition('>=', 0, 0), 0],
    [condition('>=', -5, 10), 0],
    [condition('>=', 95, 90, { met: true }), 1],
    [condition('>=', null, 90), null],
    [condition('>=', null, 90, { passesUnknown: true }), 1],
  ])('nearness_%#', (each, expected) => {
    expect(nearness(each)).toBe(expected)
  })

  it('farthestCondition_decides', () => {
    const near = condition('>=', 80, 100)
    const far = condition('>=', 10, 100)
    expect(distance(rule('a', 'saturated/cpu', near, far))).toEqual({ nearness: 0.1, missing: far })
  })

  it('conditionThatCannotBeObserved_isMissing', () => {
    const unseen = condition('>=', null, 100)
    expect(distance(rule('a', 'saturated/cpu', condition('>=', 1, 100), unseen))).toEqual({ nearness: null, missing: unseen })
  })

  it('rules_areGroupedByState_nearestFirst', () => {
    const groups = byState([
      rule('cpu/far', 'saturated/cpu', condition('>=', 1, 100)),
      rule('disk/unseen', 'saturated/disk', condition('>=', null, 100)),
      rule('processes/near', 'saturated/processes', condition('>=', 90, 100)),
      rule('cpu/holds', 'saturated/cpu', condition('>=', 100, 100, { met: true })),
    ])
    expect(groups.map((each) => [each.state, each.rules.map((one) => one.rule)])).toEqual([
      ['saturated/cpu', ['cpu/holds', 'cpu/far']],
      ['saturated/processes', ['processes/near']],
      ['saturated/disk', ['disk/unseen']],
    ])
  })
})
