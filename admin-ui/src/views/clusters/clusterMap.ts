// Positions of members on the map, and widths of their lines. Pure functions, for the tests.
import type { Cluster, ClusterLine, ClusterMember } from '../../api/types'

export interface Node {
  member: ClusterMember
  /** The part of a partitioned cluster, from 1; 0 without a partition. */
  part: number
  x: number
  y: number
}

/** Both directions between two members. */
export interface Edge {
  one: Node
  other: Node
  lines: ClusterLine[]
  /** Bytes per second, both directions. */
  rate: number
  connected: boolean
  width: number
  /** The member that receives more bytes. */
  forward: boolean
}

export interface Picture {
  nodes: Node[]
  edges: Edge[]
}

/** Radius of a circle with its two lines of text. */
const MARGIN_Y = 58
const NARROWEST = 1
const WIDEST = 9

/** Returns the width of a line: 1 px below 1 KB/s, the maximum from 100 MB/s, and one step per factor of ten. */
export function widthOf(bytesPerSecond: number): number {
  const decades = Math.log10(Math.max(bytesPerSecond, 1_000)) - 3
  return NARROWEST + (Math.min(decades, 5) / 5) * (WIDEST - NARROWEST)
}

/** Returns the part of a member: the largest one that contains it; 0 while all members agree. */
export function partOf(cluster: Cluster, member: string): number {
  if (cluster.partedSince === null) return 0
  const own = cluster.parts.findIndex((part) => part.reporters.includes(member))
  const seen = own >= 0 ? own : cluster.parts.findIndex((part) => part.members.includes(member))
  return seen + 1
}

/** Places members on an ellipse, each part together with a gap between parts. The first member is at the top; of two members it is at the left. */
export function picture(cluster: Cluster, width: number, height: number): Picture {
  const ranked = cluster.members
    .map((member) => ({ member, part: partOf(cluster, member.name) }))
    .sort((a, b) => a.part - b.part || a.member.name.localeCompare(b.member.name))
  const parts = new Set(ranked.map((each) => each.part)).size
  const places = ranked.length + (parts > 1 ? parts : 0)
  const marginX = Math.min(110, width / 4)
  let place = 0
  const nodes = ranked.map(({ member, part }, i): Node => {
    if (i > 0 && part !== ranked[i - 1]!.part) place += 1
    const begin = places === 2 ? -Math.PI : -Math.PI / 2
    const angle = places < 2 ? 0 : begin + (2 * Math.PI * place) / places
    place += 1
    const alone = places < 2
    const x = alone ? width / 2 : width / 2 + (width / 2 - marginX) * Math.cos(angle)
    const y = alone ? height / 2 : height / 2 + (height / 2 - MARGIN_Y) * Math.sin(angle)
    return { member, part, x, y }
  })
  return { nodes, edges: edges(cluster, nodes) }
}

function edges(cluster: Cluster, nodes: Node[]): Edge[] {
  const byName = new Map(nodes.map((node) => [node.member.name, node]))
  const pairs = new Map<string, ClusterLine[]>()
  for (const line of cluster.lines) {
    if (!byName.has(line.from) || !byName.has(line.to)) continue
    const key = [line.from, line.to].sort().join(' ')
    pairs.set(key, [...(pairs.get(key) ?? []), line])
  }
  return [...pairs].map(([key, lines]): Edge => {
    const [one, other] = key.split(' ').map((name) => byName.get(name)!) as [Node, Node]
    const towards = (node: Node): number =>
      lines.reduce((sum, line) => sum + ((line.to === node.member.name ? line.sentBytesPerSecond : line.receivedBytesPerSecond) ?? 0), 0)
    const rate = towards(one) + towards(other)
    return { one, other, lines, rate, connected: lines.some((line) => line.connections > 0), width: widthOf(rate), forward: towards(other) >= towards(one) }
  })
}

export interface Label {
  edge: Edge
  x: number
  y: number
}

/** Size of an amount such as "13.4 KiB/s", in px. */
const LABEL_WIDTH = 78
const LABEL_HEIGHT = 18
/** Possible positions of an amount along its line, the best one first. */
const ALONG = [0.5, 0.36, 0.64, 0.28, 0.72]

/** Returns a position for each line's amount, in the order of the lines, so that amounts do not overlap where lines cross. An amount without a free position is left out; the list of a selected member contains it. */
export function labels(edges: Edge[]): Label[] {
  const placed: Label[] = []
  for (const edge of edges) {
    const place = ALONG.map((share) => ({
      edge,
      x: edge.one.x + (edge.other.x - edge.one.x) * share,
      y: edge.one.y + (edge.other.y - edge.one.y) * share,
    })).find((here) => placed.every((taken) => Math.abs(taken.x - here.x) >= LABEL_WIDTH || Math.abs(taken.y - here.y) >= LABEL_HEIGHT))
    if (place) placed.push(place)
  }
  return placed
}

/** Returns the most severe problem of a member, or null. */
export function trouble(member: ClusterMember): 'missing' | 'stopped' | 'saturated' | 'flapping' | null {
  if (!member.present) return 'missing'
  if (member.state === 'stopped') return 'stopped'
  if (member.flapping) return 'flapping'
  return member.state === 'saturated' ? 'saturated' : null
}

/** Returns a mark that is distinguishable without colour. */
export const SIGNS = { missing: '?', stopped: '×', saturated: '!', flapping: '~' } as const
