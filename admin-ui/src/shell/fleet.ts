// The fleet as this tab holds it: one row for each service, incidents, recent events and troubled sources. The stream sends the whole
// fleet once and then what changed; the functions here put both together.
import type { FleetUpdate, Incident, Overview, Service, SharedToken, Source } from '../api/types'
import { familyOf, type Family } from './state'

/** The figures of a row. */
export type Figures = Required<NonNullable<FleetUpdate['services'][number]['summary']>>

/** A service in a list of many, with all members. */
export type Row = Pick<Service, 'id' | 'name' | 'addresses' | 'kind' | 'state' | 'since'> &
  Required<Pick<Service, 'address' | 'cause' | 'version' | 'node' | 'originSideOf' | 'labels'>> & { idle: boolean; summary: Figures }

export interface Fleet {
  version: string
  at: string
  /** The worst first. */
  services: Row[]
  /** The name of each service that tells it from the others, by id. */
  names: Map<string, string>
  counts: Record<Family, number>
  incidents: Incident[]
  recent: NonNullable<Overview['recent']>
  /** The silent and the troubled sources. */
  sources: Source[]
  refused: NonNullable<Overview['refused']>
  /** Null when no source reports with the shared token. */
  sharedToken: SharedToken | null
}

/** The families, the worst first, as the central service orders states. */
const WORST_FIRST: Family[] = ['stopped', 'fault', 'saturated', 'unknown', 'normal']

/**
 * Returns the fleet after an update. Rows that did not change stay the same objects.
 *
 * @returns null if the update is only a change and there is nothing that it could change
 */
export function updated(before: Fleet | null, update: FleetUpdate): Fleet | null {
  if (!update.full && !before) return null
  const base = update.full ? null : before
  const byId = new Map(base?.services.map((each) => [each.id, each]))
  for (const id of update.removed) byId.delete(id)
  for (const change of update.services) {
    const old = byId.get(change.id)
    byId.set(change.id, { ...old, ...change, summary: { ...old?.summary, ...change.summary } } as Row)
  }
  const incidents = new Map(base?.incidents.map((each) => [each.id, each]))
  for (const id of update.ended) incidents.delete(id)
  for (const each of update.incidents) incidents.set(each.id, each)
  const moved = update.full || update.removed.length > 0 || update.services.some((each) => each.state || each.since)
  const services = [...byId.values()]
  const renamed = update.full || update.removed.length > 0 || update.services.some((each) => each.name !== undefined || each.node !== undefined)
  if (moved) services.sort(worstFirst)
  return {
    version: update.version,
    at: update.at,
    services,
    names: base && !renamed ? base.names : distinctNames(services),
    counts: base && !moved ? base.counts : counts(services),
    incidents: [...incidents.values()],
    recent: update.recent ?? base?.recent ?? [],
    sources: update.sources ?? base?.sources ?? [],
    refused: update.refused ?? base?.refused ?? [],
    sharedToken: sharedToken(update.sharedToken ?? base?.sharedToken),
  }
}

/** Returns null for a token that no source uses any more. */
function sharedToken(given: SharedToken | null | undefined): SharedToken | null {
  return given && given.sources > 0 ? given : null
}

/**
 * Returns a name for each service that no other one has: its own name, with the host if another service has the same name, and with the id
 * if that service is on the same host.
 */
export function distinctNames(rows: readonly Pick<Row, 'id' | 'name' | 'node'>[]): Map<string, string> {
  const count = (texts: string[]): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const each of texts) counts.set(each, (counts.get(each) ?? 0) + 1)
    return counts
  }
  const onHost = ({ name, node }: Pick<Row, 'name' | 'node'>): string => (node ? `${name} · ${node}` : name)
  const [names, places] = [count(rows.map((each) => each.name)), count(rows.map(onHost))]
  return new Map(rows.map((each) => [each.id, names.get(each.name) === 1 ? each.name : places.get(onHost(each)) === 1 ? onHost(each) : `${each.name} · ${each.id}`]))
}

/** Compares as the central service does: by state, the newest first, then by id. */
export function worstFirst(one: Row, other: Row): number {
  return (
    WORST_FIRST.indexOf(familyOf(one.state)) - WORST_FIRST.indexOf(familyOf(other.state)) ||
    Date.parse(other.since) - Date.parse(one.since) ||
    (one.id < other.id ? -1 : 1)
  )
}

function counts(services: Row[]): Record<Family, number> {
  const result: Record<Family, number> = { stopped: 0, saturated: 0, fault: 0, unknown: 0, normal: 0 }
  for (const each of services) result[familyOf(each.state)] += 1
  return result
}
