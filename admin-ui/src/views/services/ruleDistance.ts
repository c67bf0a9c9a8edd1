// How near a rule of the state model is to holding. The condition that is farthest from its threshold decides.
import type { RuleThresholds, State, ThresholdCondition } from '../../api/types'

export interface RuleDistance {
  /** 1: the rule holds now. Null: a condition cannot be observed. */
  nearness: number | null
  /** The condition that keeps the rule from holding; null when it holds. */
  missing: ThresholdCondition | null
}

/** Largest nearness of a condition that is not met. A value close to the threshold would otherwise count as 1, which means "met". */
const ALMOST = 0.99

/** Returns the part of the way to the threshold, 0 to 1; 1 only when the condition is met, null when it cannot be observed. */
export function nearness(condition: ThresholdCondition): number | null {
  if (condition.met === true) return 1
  const { value, threshold } = condition
  if (value === null) return condition.passesUnknown ? 1 : null
  const part = condition.comparison.startsWith('>') ? value / threshold : threshold / value
  return Number.isFinite(part) ? Math.min(ALMOST, Math.max(0, part)) : 0
}

export function distance(rule: RuleThresholds): RuleDistance {
  let least = 1
  let missing: ThresholdCondition | null = null
  for (const condition of rule.conditions) {
    const near = nearness(condition)
    if (near === null) return { nearness: null, missing: condition }
    if (near < least) {
      least = near
      missing = condition
    }
  }
  return { nearness: least, missing }
}

export interface RuleGroup {
  state: State
  rules: RuleThresholds[]
}

/** Groups the rules by state. Nearer rules come first, and so do the states that have them; rules that cannot be observed come last. */
export function byState(rules: RuleThresholds[]): RuleGroup[] {
  const near = new Map(rules.map((rule) => [rule.rule, distance(rule).nearness ?? -1]))
  const sorted = [...rules].sort((one, other) => near.get(other.rule)! - near.get(one.rule)! || other.rank - one.rank)
  const groups = new Map<State, RuleThresholds[]>()
  for (const rule of sorted) groups.set(rule.state, [...(groups.get(rule.state) ?? []), rule])
  return [...groups].map(([state, all]) => ({ state, rules: all }))
}
