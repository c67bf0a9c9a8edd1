import { describe, expect, it } from 'vitest'
import type { FleetUpdate } from '../api/types'
import { distinctNames, updated, type Fleet } from './fleet'

const summary = { arrivalPerSecond: 1, processedPerSecond: 1, errorsPerSecond: 0, concurrent: 1, responseP95Millis: 20, hitRatio: null }
const row = (id: string, state = 'normal', since = '2026-11-28T00:00:00Z') =>
  ({ id, name: id, address: id, addresses: [id], kind: 'nginx', version: null, node: null, originSideOf: null, labels: {}, state, since, cause: { en: '', ja: '' }, idle: false, summary }) as FleetUpdate['services'][number]
const update = (more: Partial<FleetUpdate>): FleetUpdate => ({ version: 'v', full: false, at: '2026-11-28T00:00:00Z', services: [], removed: [], incidents: [], ended: [], ...more })
const whole = (...services: FleetUpdate['services']): Fleet => updated(null, update({ full: true, services }))!

describe('fleet', () => {
  it('change_withoutAFleet_isNothing', () => {
    expect(updated(null, update({}))).toBeNull()
  })

  it('whole_isSortedWorstFirst_andCounted', () => {
    const fleet = whole(row('a'), row('b', 'saturated/cpu'), row('c', 'stopped/crashed'), row('d', 'saturated/disk', '2026-11-28T00:01:00Z'))
    expect(fleet.services.map((each) => each.id)).toEqual(['c', 'd', 'b', 'a'])
    expect(fleet.counts).toEqual({ stopped: 1, saturated: 2, fault: 0, unknown: 0, normal: 1 })
  })

  it('changedFigure_keepsTheOtherMembers_andTheOtherRows', () => {
    const before = whole(row('a'), row('b'))
    const after = updated(before, update({ version: 'w', services: [{ id: 'a', summary: { arrivalPerSecond: 7 } }] }))!
    expect(after.version).toBe('w')
    expect(after.services.find((each) => each.id === 'a')!.summary).toEqual({ ...summary, arrivalPerSecond: 7 })
    expect(after.services.find((each) => each.id === 'b')).toBe(before.services.find((each) => each.id === 'b'))
    expect(before.services.find((each) => each.id === 'a')!.summary.arrivalPerSecond).toBe(1)
  })

  it('newState_movesTheRow_andChangesTheCounts', () => {
    const after = updated(whole(row('a'), row('b')), update({ services: [{ id: 'b', state: 'stopped/crashed' }] }))!
    expect(after.services.map((each) => each.id)).toEqual(['b', 'a'])
    expect(after.counts.stopped).toBe(1)
  })

  it('names_tellServicesOfOneNameApart_byHostAndThenById', () => {
    const named = (id: string, name: string, node: string | null) => ({ id, name, node })
    const names = distinctNames([named('a:80', 'nginx :80', 'a'), named('b:80', 'nginx :80', 'b'), named('b:81', 'tomcat', 'b'), named('b:82', 'tomcat', 'b'), named('c:80', 'apache :80', 'c')])
    expect([...names.values()]).toEqual(['nginx :80 · a', 'nginx :80 · b', 'tomcat · b:81', 'tomcat · b:82', 'apache :80'])
  })

  it('names_followNewAndRemovedServices_andStayOtherwise', () => {
    const twin = (id: string) => ({ ...row(id), name: 'nginx', node: id }) as FleetUpdate['services'][number]
    const before = whole(twin('a'))
    const both = updated(before, update({ services: [twin('b')] }))!
    expect([...both.names.values()]).toEqual(['nginx · a', 'nginx · b'])
    expect(updated(both, update({ services: [{ id: 'a', summary: { arrivalPerSecond: 7 } }] }))!.names).toBe(both.names)
    expect([...updated(both, update({ removed: ['b'] }))!.names.values()]).toEqual(['nginx'])
  })

  it('removedAndNewRows_areGoneAndThere', () => {
    const after = updated(whole(row('a'), row('b')), update({ removed: ['a'], services: [row('c')] }))!
    expect(after.services.map((each) => each.id)).toEqual(['b', 'c'])
  })

  it('incidents_beginChangeAndEnd', () => {
    const incident = (id: string, settled: boolean) => ({ id, root: 'a', began: '', settled, members: [] }) as FleetUpdate['incidents'][number]
    const one = updated(whole(), update({ incidents: [incident('1', false), incident('2', false)] }))!
    const two = updated(one, update({ incidents: [incident('2', true)], ended: ['1'] }))!
    expect(two.incidents).toEqual([incident('2', true)])
  })

  it('sharedToken_isKept_untilNoSourceUsesIt', () => {
    const sharedToken = { sources: 2, until: '2026-12-28T00:00:00Z' }
    const before = updated(null, update({ full: true, sharedToken }))
    expect(updated(before, update({}))!.sharedToken).toEqual(sharedToken)
    expect(updated(before, update({ sharedToken: { sources: 0, until: null } }))!.sharedToken).toBeNull()
    expect(updated(before, update({ full: true }))!.sharedToken).toBeNull()
  })

  it('partsThatAreAbsent_areAsBefore', () => {
    const recent = [{ at: '2026-11-28T00:00:00Z', kind: 'change' as const, text: { en: '', ja: '' } }]
    const before = updated(null, update({ full: true, recent }))
    expect(updated(before, update({}))!.recent).toBe(recent)
    expect(updated(before, update({ full: true }))!.recent).toEqual([])
  })
})
