// The value that decided a question: short enough for a box of the flowchart and a line of the list.
import type { Decision, Diagnosis, Evidence } from '../../api/types'
import { sign, withUnit } from '../../shell/format'

/**
 * Returns the value that agrees with the answer, "1.2 (≥ 0.95)". Of several it is the last one that exceeds its threshold,
 * because conditions go from the general to the particular, and a low value is weak evidence. Empty if the answer came from
 * the service's state alone or from a user.
 *
 * @param known values shown at an earlier question, usually the evidence of the state
 */
export function figure(decision: Decision, locale: string, known: Evidence[] = []): string {
  const agreeing = decision.evidence.filter(
    (each) =>
      typeof each.value === 'number' &&
      (decision.verdict === 'yes' ? each.met !== false : decision.verdict === 'no' ? each.met !== true : true) &&
      !known.some((other) => other.measurement === each.measurement && other.value === each.value),
  )
  const told = agreeing.findLast((each) => each.comparison?.startsWith('>')) ?? agreeing[0]
  if (!told) return ''
  const limit = typeof told.threshold === 'number' ? ` (${sign(told.comparison)} ${withUnit(told.threshold, told.unit, locale)})`.replaceAll(' ', '\u00a0').replace('\u00a0', ' ') : ''
  return `${withUnit(told.value, told.unit, locale)}${limit}`
}

/** Returns the value of every decision. A value that answered two questions is shown at the first only. */
export function figures(diagnosis: Pick<Diagnosis, 'decisions'>, locale: string): Map<string, string> {
  const known: Evidence[] = []
  return new Map(
    diagnosis.decisions.map((each) => {
      const text = figure(each, locale, known)
      known.push(...each.evidence)
      return [each.node, text]
    }),
  )
}
