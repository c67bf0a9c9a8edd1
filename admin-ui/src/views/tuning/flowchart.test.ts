import { describe, expect, it } from 'vitest'
import type { Diagnosis, Flowchart } from '../../api/types'
import { FLOWCHART } from '../../../test/stand-in/world.mjs'
import { place, wrap } from './flowchartLayout'
import { walk } from './walk'

const text = (en: string) => ({ en, ja: en })
const chart: Flowchart = {
  version: '1',
  nodes: [
    { id: 'start', kind: 'start', title: text('Start') },
    { id: 'a', kind: 'decision', title: text('A?') },
    { id: 'b', kind: 'decision', title: text('B?') },
    { id: 'x', kind: 'action', title: text('X') },
    { id: 'y', kind: 'action', title: text('Y') },
    { id: 'z', kind: 'action', title: text('Z') },
  ],
  edges: [
    { from: 'start', to: 'a', answer: 'next' },
    { from: 'a', to: 'x', answer: 'yes' },
    { from: 'a', to: 'b', answer: 'no' },
    { from: 'b', to: 'y', answer: 'yes' },
    { from: 'b', to: 'z', answer: 'no' },
  ],
}

function run(path: string[], verdicts: Record<string, 'yes' | 'no' | 'unknown' | 'overridden'>): Diagnosis {
  return {
    service: 's',
    at: '2026-11-21T01:00:00Z',
    state: 'normal',
    flowchart: '1',
    path,
    decisions: Object.entries(verdicts).map(([node, verdict]) => ({ node, verdict, evidence: [] })),
    advice: [],
  }
}

describe('walk', () => {
  it('walk_answeredDecisions_takeOneBranch', () => {
    const { nodes, edges } = walk(chart, run(['start', 'a', 'b', 'y'], { a: 'no', b: 'yes' }))
    expect(Object.fromEntries(nodes)).toEqual({ start: 'taken', a: 'taken', b: 'taken', x: 'untaken', y: 'taken', z: 'untaken' })
    expect(edges.get('a>b>no')).toBe('taken')
    expect(edges.get('a>x>yes')).toBe('untaken')
  })

  it('walk_unknownDecision_keepsBothBranchesOpen', () => {
    const { nodes, edges } = walk(chart, run(['start', 'a', 'b', 'y', 'z'], { a: 'no', b: 'unknown' }))
    expect([nodes.get('b'), nodes.get('y'), nodes.get('z')]).toEqual(['taken', 'open', 'open'])
    expect([edges.get('b>y>yes'), edges.get('b>z>no')]).toEqual(['open', 'open'])
  })

  it('walk_overriddenDecision_followsThePath', () => {
    expect(walk(chart, run(['start', 'a', 'x'], { a: 'overridden' })).edges.get('a>x>yes')).toBe('taken')
  })

  it('walk_noDiagnosis_reachesNothing', () => {
    expect([...walk(chart, null).nodes.values()].every((each) => each === 'untaken')).toBe(true)
  })
})

describe('place', () => {
  const placed = place(FLOWCHART as Flowchart, (node) => node.title.en)

  it('place_everyBox_liesInsideAndOverlapsNone', () => {
    for (const one of placed.nodes) {
      expect(one.x - one.width / 2).toBeGreaterThanOrEqual(0)
      expect(one.x + one.width / 2).toBeLessThanOrEqual(placed.width)
      expect(one.y + one.height / 2).toBeLessThanOrEqual(placed.height)
      for (const other of placed.nodes) {
        if (one === other) continue
        const apart = Math.abs(one.x - other.x) >= (one.width + other.width) / 2 || Math.abs(one.y - other.y) >= (one.height + other.height) / 2
        expect(apart, `${one.id} and ${other.id}`).toBe(true)
      }
    }
  })

  it('place_edges_leadDownwards', () => {
    const y = new Map(placed.nodes.map((each) => [each.id, each.y]))
    for (const edge of FLOWCHART.edges) expect(y.get(edge.to)!).toBeGreaterThan(y.get(edge.from)!)
    expect(placed.edges.every((each) => each.path.startsWith('M'))).toBe(true)
  })

  it('wrap_latinAtSpaces_japaneseAnywhere', () => {
    expect(wrap('Is the network the bottleneck?', 100)).toEqual(['Is the network ', 'the ', 'bottleneck?'])
    expect(wrap('ネットワークがボトルネックか', 78)).toEqual(['ネットワーク', 'がボトルネッ', 'クか'])
  })
})
