// Layout of the flowchart: questions form a vertical trunk, and the side branch of each question is at its right. A side
// branch with further questions is a trunk of its own, one column further. All lines are horizontal or vertical.
import type { Flowchart } from '../../api/types'
import { grid, type Cell } from './flowchartGrid'
import { edgeKey } from './walk'

const WIDTH = 204
const GUTTER = 46
const LINE = 16
const PADDING = 18
/** Distance of two rows: space for an answer, a joining line and an arrow. */
const GAP = 34
const MARGIN = 10
/** Distance above a box at which a line joins the line from above. */
const JOIN = 14
/** Widths of a wide (CJK) and a Latin character at 12.5 px, bold as on the path. */
const WIDE = 12.5
const NARROW = 7.6

type FlowNode = Flowchart['nodes'][number]
type FlowEdge = Flowchart['edges'][number]

export interface PlacedNode {
  id: string
  kind: FlowNode['kind']
  lines: string[]
  /** The result of a run: the verdict with its value. */
  notes: string[]
  /** An action before a new measurement. A mark shows this, because lines from all actions would cross the drawing. */
  again: boolean
  /** The middle of the box. */
  x: number
  y: number
  width: number
  height: number
}
export interface PlacedEdge {
  key: string
  answer: string
  points: Point[]
  path: string
  labelX: number
  labelY: number
  /** The label begins at its position, beside an upright line, instead of having its middle there. */
  beside: boolean
}
export interface Placed {
  width: number
  height: number
  nodes: PlacedNode[]
  edges: PlacedEdge[]
}
export interface Point {
  x: number
  y: number
}

/** Marks and small kana that never begin a line. */
const NEVER_FIRST = /^[、。・:;,.)〕〉》」』】ー〜ぁぃぅぇぉっゃゅょァィゥェォッャュョ?!)]/

/** Joins a mark to the character before it, and the last wide character of the text to the one before it. */
function inseparable(words: string[]): string[] {
  const joined: string[] = []
  words.forEach((word, i) => {
    const last = i === words.length - 1 && i > 0 && widthOf(word[0]!) === WIDE && widthOf(words[i - 1]!.at(-1)!) === WIDE
    if (joined.length > 0 && (NEVER_FIRST.test(word) || last)) joined[joined.length - 1] += word
    else joined.push(word)
  })
  return joined
}

function widthOf(character: string): number {
  return /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/.test(character) ? WIDE : NARROW
}

/**
 * Breaks a text at spaces, or between wide characters, so that no line is wider than `width`. No line begins with a closing
 * mark or a small kana, and none is a single wide character (JIS X 4051). A line keeps the space at its end, so that the
 * joined lines are the original text, as a screen reader reads it.
 */
export function wrap(text: string, width: number): string[] {
  const words = inseparable(text.match(/[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^ \u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+ *| +/g) ?? [])
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

/**
 * @param titleOf the text of a box
 * @param noteOf the result of a run at a box, or nothing
 */
export function place(flowchart: Flowchart, titleOf: (node: FlowNode) => string, noteOf: (node: FlowNode) => string = () => ''): Placed {
  const kinds = new Map(flowchart.nodes.map((node) => [node.id, node.kind]))
  const known = flowchart.edges.filter((edge) => kinds.has(edge.from) && kinds.has(edge.to))
  const isAgain = (edge: FlowEdge): boolean => kinds.get(edge.from) === 'action' && kinds.get(edge.to) === 'end'
  const again = new Set(known.filter(isAgain).map((edge) => edge.from))
  const cells = grid(flowchart)

  const boxes = flowchart.nodes.map((node) => {
    const room = WIDTH - (node.kind === 'decision' ? 34 : 22)
    const lines = wrap(titleOf(node), room)
    const notes = wrap(noteOf(node), room)
    const height = (lines.length + notes.length + (again.has(node.id) ? 1 : 0)) * LINE + PADDING
    return { node, lines, notes, height, cell: cells.get(node.id)! }
  })
  const rows = 1 + Math.max(0, ...boxes.map((each) => each.cell.row))
  const columns = 1 + Math.max(0, ...boxes.map((each) => each.cell.column))
  const tops: number[] = []
  let bottom = MARGIN
  for (let row = 0; row < rows; row += 1) {
    tops.push(bottom)
    bottom += Math.max(0, ...boxes.filter((each) => each.cell.row === row).map((each) => each.height)) + GAP
  }
  const nodes = boxes.map(({ node, lines, notes, height, cell }): PlacedNode => {
    const tallest = Math.max(...boxes.filter((each) => each.cell.row === cell.row).map((each) => each.height))
    const x = MARGIN + cell.column * (WIDTH + GUTTER) + WIDTH / 2
    return { id: node.id, kind: node.kind, lines, notes, again: again.has(node.id), x, y: tops[cell.row]! + tallest / 2, width: WIDTH, height }
  })

  const placed = new Map(nodes.map((node) => [node.id, node]))
  const edges = known.filter((edge) => !isAgain(edge)).map((edge) => draw(edge, placed, cells, tops))
  const right = Math.max(0, ...edges.flatMap((edge) => edge.points.map((point) => point.x)))
  return {
    width: Math.max(MARGIN * 2 + columns * WIDTH + (columns - 1) * GUTTER, right + MARGIN),
    height: bottom - GAP + MARGIN,
    nodes,
    edges,
  }
}

function draw(edge: FlowEdge, placed: Map<string, PlacedNode>, cells: Map<string, Cell>, tops: number[]): PlacedEdge {
  const [from, to] = [placed.get(edge.from)!, placed.get(edge.to)!]
  const [a, b] = [cells.get(edge.from)!, cells.get(edge.to)!]
  const [under, over] = [from.y + from.height / 2, to.y - to.height / 2]
  const [side, near] = [from.x + from.width / 2, to.x - to.width / 2]
  const made = (points: Point[], labelX: number, labelY: number, beside: boolean): PlacedEdge => {
    const path = points.map((point, i) => `${i === 0 ? 'M' : 'L'}${round(point.x)} ${round(point.y)}`).join('')
    return { key: edgeKey(edge), answer: edge.answer, points, path, labelX, labelY, beside }
  }
  if (b.column > a.column) {
    const middle = near - 16
    const points = [{ x: side, y: from.y }, { x: near, y: to.y }]
    if (a.row !== b.row) points.splice(1, 0, { x: middle, y: from.y }, { x: middle, y: to.y })
    return made(points, (side + near - 8) / 2, from.y - 6, false)
  }
  const free = ![...cells.values()].some((each) => each.column === a.column && each.row > a.row && each.row < b.row)
  const below = b.row > a.row
  if (below && free && a.column === b.column) return made([{ x: from.x, y: under }, { x: to.x, y: over }], from.x + 6, under + 14, true)
  // Joins the line from above just over the box. The gutter at the right leads around boxes in between.
  const join = tops[b.row]! - JOIN
  const points = [{ x: from.x, y: under }]
  if (!below || !free) {
    points.push({ x: from.x, y: under + 10 }, { x: side + 14, y: under + 10 }, { x: side + 14, y: join })
  } else points.push({ x: from.x, y: join })
  points.push({ x: to.x, y: join }, { x: to.x, y: over })
  return made(points, from.x + 6, under + (free ? 14 : 22), true)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
