// The services of the overview as what an operator has to look at: incidents first, then the services that belong to none.
import type { Incident } from '../../api/types'
import type { Row } from '../../shell/fleet'
import { familyOf } from '../../shell/state'
import { FAMILIES } from '../fleet/choice'

/** One card: the root of an incident with the services that feel it, or a service that belongs to no incident. */
export interface Entry {
  key: string
  service: Row
  incident: Incident | null
  felt: Incident['members']
}

/** Incidents without their root among the services are shown by the first of their services that is there. */
export function entries(services: Row[], incidents: Incident[]): Entry[] {
  const byId = new Map(services.map((each) => [each.id, each]))
  const affected = new Set<string>()
  const grouped: Entry[] = []
  for (const incident of incidents) {
    const active = incident.members.filter((each) => !each.until && byId.has(each.service) && !affected.has(each.service))
    const first = active[0]
    if (!first) continue
    for (const each of active) affected.add(each.service)
    grouped.push({ key: incident.id, service: byId.get(first.service)!, incident, felt: active.slice(1) })
  }
  const alone = services.filter((each) => !affected.has(each.id)).map((each): Entry => ({ key: each.id, service: each, incident: null, felt: [] }))
  return [...grouped, ...alone].sort((one, other) => rank(one) - rank(other))
}

function rank(entry: Entry): number {
  return FAMILIES.indexOf(familyOf(entry.service.state))
}
