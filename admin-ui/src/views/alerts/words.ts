// Names of an alert's state: the state of a service, or a state of the alert's kind.
import type { Alert, Silence, State } from '../../api/types'
import { stateKey } from '../../shell/state'

export function alertStateKey(alert: Pick<Alert, 'kind' | 'state'>): string {
  return alert.kind === 'service' ? stateKey(alert.state as State) : `alerts.states.${alert.state}`
}

/** Returns whether the subject is a cluster, or a member as CLUSTER/MEMBER. */
export function aboutCluster(alert: Pick<Alert, 'kind'>): boolean {
  return alert.kind === 'cluster-parted' || alert.kind === 'cluster-conflict' || alert.kind === 'member-flapping'
}

/** Returns the name of the disk, or of the part of the telemetry's server, that an alert is about, or undefined for an alert about anything else. */
export function diskOf(alert: Pick<Alert, 'kind' | 'subject'>, t: (key: string) => string): string | undefined {
  if (alert.kind === 'store-full') return t('alerts.store')
  if (alert.kind === 'record-server') return t(`alerts.recordServer.${alert.subject}`)
  return alert.kind === 'disk-full' ? t(`alerts.disk.${alert.subject}`) : undefined
}

/** Names of the rules of a fresh installation. They are stored in English; the console shows them in the user's language until someone renames them. */
const SHIPPED: Record<string, string> = {
  'A source is silent': 'source-silent',
  'A probe loses packets': 'probe-loss',
  'Records are dropped': 'record-drops',
  "The store's disk is nearly full": 'store-full',
  'A disk is full': 'disk-full',
  'The server of the telemetry has trouble': 'record-server',
  'A limit of the fleet is reached': 'quota',
  'A credential reports in foreign names': 'foreign-report',
  'The identity of a part is in doubt': 'identity',
  'A cluster is parted': 'cluster-parted',
  'Members claim one prefix for different contents': 'cluster-conflict',
  'A member comes and goes': 'member-flapping',
  Services: 'services',
}

/** Returns the name of a rule as it is shown. */
export function ruleName(name: string, t: (key: string) => string): string {
  const shipped = SHIPPED[name]
  return shipped ? t(`alerts.shippedRule.${shipped}`) : name
}

/** Returns the services of a silence: its pattern, its selector of labels, or both. */
export function covered(silence: Pick<Silence, 'service' | 'label'>, t: (key: string, values: Record<string, unknown>) => string): string {
  const { service, label } = silence
  if (!label) return service ?? t('alerts.everything', {})
  return service ? t('alerts.withLabel', { service, label }) : label
}

/** Lengths of a silence in minutes. The longest is the maximum of the central service. */
export const LENGTHS = [30, 60, 240, 1_440, 10_080, 43_200] as const

/** Splits words that are separated by commas or white space. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
