// Places the flowchart's boxes with dagre and breaks their titles into lines. Loaded only with the tuning page.
import { Graph, layout } from '@dagrejs/dagre'
import type { Flowchart } from '../../api/types'
import { edgeKey } from './walk'

const WIDTH = 176
const LINE = 16
const PADDING = 20
/** Widths at 13 px: a wide (CJK) character, a Latin one. */
const WIDE = 13
const NARROW = 7

export interface PlacedNode {
  id: string
  kind: Flowchart['nodes'][number]['kind']
  lines: string[]
  x: number
  y: number
  width: number
  height: number
}
export interface PlacedEdge {
  key: string
  answer: string
  path: string
  labelX: number
  labelY: number
}
export interface Placed {
  width: number
  height: number
  nodes: PlacedNode[]
  edges: PlacedEdge[]
}

function widthOf(character: string): number {
  return /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/.test(character) ? WIDE : NARROW
}

/**
 * Breaks at spaces, or anywhere between wide characters, so that no line is wider than `width`. A line keeps the space it
 * was broken at: joined again, the lines are the text, as those hear it who do not see it.
 */
export function wrap(text: string, width: number): string[] {
  const words = text.match(/[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+\s*|\s+/g) ?? []
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of words) {
    const size = [...word.trimEnd()].reduce((sum, each) => sum + widthOf(each), 0)
    if (line !== '' && used + size > width) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += word
    used += [...word].reduce((sum, each) => sum + widthOf(each), 0)
  }
  if (line.trim() !== '') lines.push(line.trimEnd())
  return lines
}

export function place(flowchart: Flowchart, titleOf: (node: Flowchart['nodes'][number]) => string): Placed {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 34, edgesep: 14, marginx: 6, marginy: 6 })
  const lines = new Map(flowchart.nodes.map((node) => [node.id, wrap(titleOf(node), WIDTH - (node.kind === 'decision' ? 44 : 24))]))
  for (const node of flowchart.nodes) {
    graph.setNode(node.id, { width: WIDTH, height: lines.get(node.id)!.length * LINE + PADDING })
  }
  const known = new Set(flowchart.nodes.map((node) => node.id))
  const edges = flowchart.edges.filter((edge) => known.has(edge.from) && known.has(edge.to))
  const ends = new Set(flowchart.nodes.filter((node) => node.kind === 'end').map((node) => node.id))
  for (const edge of edges) {
    // A leaf belongs under its question; the line from it to the common end may be as long as it likes.
    const weight = ends.has(edge.to) ? 1 : 8
    graph.setEdge(edge.from, edge.to, { weight, width: edge.answer === 'next' ? 0 : 26, height: 14, labelpos: 'c' }, edge.answer)
  }
  layout(graph)
  const size = graph.graph() as { width?: number; height?: number }
  return {
    width: Math.ceil(size.width ?? 0),
    height: Math.ceil(size.height ?? 0),
    nodes: flowchart.nodes.map((node) => {
      const at = graph.node(node.id) as { x: number; y: number; width: number; height: number }
      return { id: node.id, kind: node.kind, lines: lines.get(node.id)!, x: at.x, y: at.y, width: at.width, height: at.height }
    }),
    edges: edges.map((edge) => {
      const at = graph.edge({ v: edge.from, w: edge.to, name: edge.answer }) as { points: { x: number; y: number }[]; x?: number; y?: number }
      return { key: edgeKey(edge), answer: edge.answer, path: smooth(at.points), labelX: at.x ?? 0, labelY: at.y ?? 0 }
    }),
  }
}

/** Straight lines with rounded bends. */
function smooth(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  let path = `M${round(first.x)} ${round(first.y)}`
  rest.forEach((point, i) => {
    const next = rest[i + 1]
    if (!next) path += `L${round(point.x)} ${round(point.y)}`
    else path += `Q${round(point.x)} ${round(point.y)} ${round((point.x + next.x) / 2)} ${round((point.y + next.y) / 2)}`
  })
  return path
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
