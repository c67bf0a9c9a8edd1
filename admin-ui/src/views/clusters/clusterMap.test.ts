import { describe, expect, it } from 'vitest'
import type { Cluster, ClusterLine, ClusterMember } from '../../api/types'
import { labels, partOf, picture, trouble, widthOf } from './clusterMap'

const member = (name: string, more: Partial<ClusterMember> = {}): ClusterMember => ({
  name, node: null, line: '', started: '2026-11-22T10:00:00Z', reports: true, heard: null, present: true, coordinator: false, draining: false, flapping: false,
  state: 'up', inFlight: 0, serviceMillis: 0, servedPerSecond: null, faultsPerSecond: null, requestsPerSecond: null, servers: [], ...more,
})
const line = (from: string, to: string, sent: number, received: number): ClusterLine => ({
  from, to, connections: 4, streams: 0, waiting: 0, rttMillis: 1, lossShare: 0, sentBytesPerSecond: sent, receivedBytesPerSecond: received, requestsPerSecond: 1, lost: 0, failure: '', carrier: 'tcp', downSince: null,
})
const cluster = (more: Partial<Cluster> = {}): Cluster => ({
  name: 'shop', heard: '2026-11-22T10:00:00Z', fresh: true, partedSince: null, parts: [], members: ['a', 'b', 'c', 'd'].map((name) => member(name)), routes: [], lines: [], conflicts: [], ...more,
})

describe('labels', () => {
  const all = ['a b', 'a c', 'a d', 'b c', 'b d', 'c d'].map((pair) => pair.split(' ') as [string, string])
  const drawn = (width: number, height: number) => picture(cluster({ lines: all.map(([from, to]) => line(from, to, 5_000, 5_000)) }), width, height).edges

  it('amountsOfLinesThatCross_doNotLieOnEachOther', () => {
    const placed = labels(drawn(1000, 460))
    expect(placed).toHaveLength(6)
    for (const [i, one] of placed.entries()) {
      for (const other of placed.slice(i + 1)) expect(Math.abs(one.x - other.x) >= 78 || Math.abs(one.y - other.y) >= 18).toBe(true)
    }
  })

  it('withoutRoom_theFirstLinesAmountsStay', () => {
    const edges = drawn(120, 60)
    const placed = labels(edges)
    expect(placed.length).toBeLessThan(6)
    expect(placed[0]!.edge).toBe(edges[0])
  })
})

describe('picture', () => {
  it('members_standInsideTheFrame_noTwoInOnePlace', () => {
    for (const [width, height] of [[1100, 420], [340, 340]] as const) {
      const { nodes } = picture(cluster(), width, height)
      expect(new Set(nodes.map((node) => `${node.x.toFixed()} ${node.y.toFixed()}`)).size).toBe(4)
      for (const node of nodes) {
        expect(node.x).toBeGreaterThan(20)
        expect(node.x).toBeLessThan(width - 20)
        expect(node.y).toBeGreaterThan(20)
        expect(node.y).toBeLessThan(height - 20)
      }
    }
  })

  it('oneMember_standsInTheMiddle', () => {
    expect(picture(cluster({ members: [member('a')] }), 400, 300).nodes).toMatchObject([{ x: 200, y: 150 }])
  })

  it('twoMembers_standBesideEachOther_withRoomForTheirWords', () => {
    const { nodes } = picture(cluster({ members: [member('a'), member('b')] }), 800, 400)
    expect(nodes[0]!.y).toBeCloseTo(nodes[1]!.y)
    expect(nodes[0]!.x).toBeLessThan(nodes[1]!.x)
    for (const node of picture(cluster(), 800, 400).nodes) expect(Math.min(node.y, 400 - node.y)).toBeGreaterThanOrEqual(55)
  })

  it('bothDirections_areOneLine_asWideAsTheirSum', () => {
    const { edges } = picture(cluster({ lines: [line('a', 'b', 1_000, 90_000), line('b', 'a', 2_000, 7_000), line('a', 'nobody', 1, 1)] }), 800, 400)
    expect(edges).toHaveLength(1)
    expect(edges[0]!.rate).toBe(100_000)
    expect(edges[0]!.width).toBe(widthOf(100_000))
    // b responds to a with 90,000 bytes, and requests 2,000 bytes from a.
    expect(edges[0]!.forward).toBe(false)
  })

  it('partedCluster_keepsPartsTogether', () => {
    const parted = cluster({ partedSince: '2026-11-22T10:00:00Z', parts: [{ digest: 'x', reporters: ['a', 'c'], members: ['a', 'c'] }, { digest: 'y', reporters: ['b'], members: ['b', 'd'] }] })
    expect(picture(parted, 800, 400).nodes.map((node) => node.member.name)).toEqual(['a', 'c', 'b', 'd'])
    expect(partOf(parted, 'd')).toBe(2)
    expect(partOf(cluster(), 'd')).toBe(0)
  })
})

describe('widthOf', () => {
  it('grows_byTenfolds_betweenItsEnds', () => {
    expect(widthOf(0)).toBe(1)
    expect(widthOf(1e12)).toBe(9)
    expect(widthOf(1e5) - widthOf(1e4)).toBeCloseTo(widthOf(1e6) - widthOf(1e5))
  })
})

describe('trouble', () => {
  it('theGravest_isNamed', () => {
    expect(trouble(member('a'))).toBeNull()
    expect(trouble(member('a', { state: 'saturated', flapping: true }))).toBe('flapping')
    expect(trouble(member('a', { state: 'stopped', present: false }))).toBe('missing')
  })
})
