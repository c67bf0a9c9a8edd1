import { describe, expect, it } from 'vitest'
import type { Incident, State } from '../../api/types'
import type { Row } from '../../shell/fleet'
import { entries } from './incidents'

const service = (id: string, state: State): Row => ({ id, name: id, state }) as Row
const member = (id: string, state: State, until: string | null = null) => ({ service: id, state, since: '2026-11-27T01:00:00Z', until, cause: { en: '', ja: '' } })
const incident = (id: string, members: Incident['members']): Incident => ({ id, root: members[0]!.service, began: '2026-11-27T01:00:00Z', settled: true, members })

describe('entries of the overview', () => {
  it('incident_isOneEntryOfItsRoot_withWhatFeelsIt', () => {
    const shown = entries(
      [service('proxy', 'upstream-fault'), service('app', 'saturated/processes'), service('idle', 'normal')],
      [incident('1', [member('app', 'saturated/processes'), member('proxy', 'upstream-fault')])],
    )
    expect(shown.map((each) => [each.key, each.service.id, each.felt.map((felt) => felt.service)])).toEqual([
      ['1', 'app', ['proxy']],
      ['idle', 'idle', []],
    ])
  })

  it('recoveredServices_areEntriesOfTheirOwn', () => {
    const shown = entries([service('app', 'saturated/cpu'), service('proxy', 'normal')], [incident('1', [member('app', 'saturated/cpu'), member('proxy', 'upstream-fault', '2026-11-27T01:01:00Z')])])
    expect(shown.map((each) => each.service.id)).toEqual(['app', 'proxy'])
    expect(shown[0]!.felt).toEqual([])
  })

  it('worstRoot_comesFirst_thenTheOrderOfTheCentralService', () => {
    const shown = entries(
      [service('a', 'saturated/cpu'), service('b', 'stopped/crashed'), service('c', 'saturated/disk')],
      [incident('2', [member('c', 'saturated/disk')]), incident('1', [member('a', 'saturated/cpu')]), incident('3', [member('b', 'stopped/crashed')])],
    )
    expect(shown.map((each) => each.service.id)).toEqual(['b', 'c', 'a'])
  })

  it('incidentWhoseServicesAreGone_isNotShown', () => {
    expect(entries([service('a', 'normal')], [incident('1', [member('gone', 'saturated/cpu')])]).map((each) => each.key)).toEqual(['a'])
  })
})
