import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Decision, Diagnosis, Flowchart } from '../../api/types'
import { FLOWCHART } from '../../../test/stand-in/world.mjs'
import { figure, figures } from './figure'
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

/** The flowchart of the central service, so that the test covers what users see. */
const shipped = parse(readFileSync(join(import.meta.dirname, '../../../../src/main/resources/flowcharts/server-management.yaml'), 'utf8')) as Flowchart

describe.each([
  ['the shipped flowchart', shipped, 'en'],
  ['the shipped flowchart in Japanese', shipped, 'ja'],
  ['the stand-in', FLOWCHART as Flowchart, 'en'],
  ['a small one', chart, 'en'],
] as const)('place: %s', (_name, flowchart, language) => {
  const placed = place(flowchart, (node) => node.title[language], (node) => (node.kind === 'decision' ? 'Yes · 1.2 (≥ 0.95)' : ''))
  const byId = new Map(placed.nodes.map((each) => [each.id, each]))

  it('place_everyBox_isThereInsideAndOverlapsNone', () => {
    expect([...byId.keys()]).toEqual(flowchart.nodes.map((each) => each.id))
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

  it('place_everyLine_isLevelOrUprightAndCrossesNoBox', () => {
    for (const edge of placed.edges) {
      edge.points.slice(1).forEach((to, i) => {
        const from = edge.points[i]!
        expect(from.x === to.x || from.y === to.y, edge.key).toBe(true)
        for (const box of placed.nodes) {
          const beside = Math.max(from.x, to.x) <= box.x - box.width / 2 || Math.min(from.x, to.x) >= box.x + box.width / 2
          const aside = Math.max(from.y, to.y) <= box.y - box.height / 2 || Math.min(from.y, to.y) >= box.y + box.height / 2
          expect(beside || aside, `${edge.key} through ${box.id}`).toBe(true)
        }
      })
    }
  })

  it('place_edges_areDrawnOrSaidByTheMark', () => {
    const kind = (id: string) => flowchart.nodes.find((each) => each.id === id)!.kind
    for (const edge of flowchart.edges) {
      const marked = kind(edge.from) === 'action' && kind(edge.to) === 'end'
      if (marked) expect(byId.get(edge.from)!.again, edge.from).toBe(true)
      expect(placed.edges.some((each) => each.key === `${edge.from}>${edge.to}>${edge.answer}`)).toBe(!marked)
    }
  })

  it('place_leafOfAQuestion_standsBesideIt', () => {
    for (const edge of flowchart.edges.filter((each) => each.answer === 'yes' && byId.get(each.to)!.kind === 'action')) {
      expect(byId.get(edge.to)!.y, edge.to).toBe(byId.get(edge.from)!.y)
    }
  })
})

describe('place', () => {
  it('place_shipped_fitsItsCardAt1440', () => {
    // The card is 726 px wide inside; below 0.89 of the drawn size letters would be smaller than 11 px.
    expect(place(shipped, (node) => node.title.en).width * 0.89).toBeLessThan(726)
  })

  it('figure_metEvidence_withThreshold', () => {
    const evidence = { measurement: 'm', text: text('t'), source: 'kernel' } as const
    const decision: Decision = {
      node: 'a',
      verdict: 'yes',
      evidence: [
        { ...evidence, value: 3, met: false },
        { ...evidence, value: 1.2, threshold: 0.95, comparison: '>=', met: true },
      ],
    }
    expect(figure(decision, 'en')).toBe('1.2 (≥\u00a00.95)')
    expect(figure({ ...decision, evidence: [] }, 'en')).toBe('')
    expect(figure({ ...decision, verdict: 'no' }, 'en')).toBe('3')
    // The same value at the next question adds nothing.
    expect([...figures({ decisions: [decision, { ...decision, node: 'b' }] }, 'en').values()]).toEqual(['1.2 (≥\u00a00.95)', ''])
  })

  it('wrap_latinAtSpaces_japaneseAnywhere', () => {
    expect(wrap('Is the network the bottleneck?', 108)).toEqual(['Is the network ', 'the ', 'bottleneck?'])
    expect(wrap('ネットワークがボトルネックか', 78)).toEqual(['ネットワーク', 'がボトルネッ', 'クか'])
  })

  it('wrap_japanese_noLineBeginsWithAMarkOrIsOneCharacter', () => {
    expect(wrap('計画する:上限', 50)).toEqual(['計画す', 'る:上限'])
    expect(wrap('圧縮する、画像', 50)).toEqual(['圧縮す', 'る、画像'])
    expect(wrap('上限を上げる', 62.5)).toEqual(['上限を上', 'げる'])
  })

  it('wrap_unbreakableSpace_isKept', () => {
    expect(wrap('2,606 (≥\u00a020,000)', 70)).toEqual(['2,606 ', '(≥\u00a020,000)'])
  })
})
