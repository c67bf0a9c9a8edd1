// The parts of the flowchart that a diagnosis reached: taken, open because of an unknown decision, or not reached.
import type { Decision, Diagnosis, Flowchart } from '../../api/types'

export type Standing = 'taken' | 'open' | 'untaken'

export interface Walk {
  nodes: Map<string, Standing>
  /** By "from>to>answer". */
  edges: Map<string, Standing>
  decisions: Map<string, Decision>
}

type FlowEdge = Flowchart['edges'][number]

export function edgeKey(edge: FlowEdge): string {
  return `${edge.from}>${edge.to}>${edge.answer}`
}

/** Follows the answers from the start. Nodes outside the server's path are not reached, regardless of the answers. */
export function walk(flowchart: Flowchart, diagnosis: Diagnosis | null): Walk {
  const decisions = new Map((diagnosis?.decisions ?? []).map((each) => [each.node, each]))
  const path = new Set(diagnosis?.path ?? [])
  const nodes = new Map<string, Standing>(flowchart.nodes.map((each) => [each.id, 'untaken']))
  const edges = new Map<string, Standing>(flowchart.edges.map((each) => [edgeKey(each), 'untaken']))

  const queue = flowchart.nodes.filter((each) => path.has(each.id) && (each.kind === 'start' || each.id === diagnosis?.path[0]))
  for (const each of queue) nodes.set(each.id, 'taken')
  while (queue.length > 0) {
    const node = queue.shift()!
    const certain = nodes.get(node.id) === 'taken'
    const verdict = decisions.get(node.id)?.verdict
    for (const edge of flowchart.edges.filter((each) => each.from === node.id && path.has(each.to))) {
      const follows = edge.answer === 'next' || edge.answer === verdict
      // An overridden verdict does not contain its answer; the path shows it.
      const overridden = verdict === 'overridden'
      if (!follows && !overridden && verdict !== 'unknown' && verdict !== undefined) continue
      const standing: Standing = certain && (follows || overridden) ? 'taken' : 'open'
      if (rank(standing) > rank(edges.get(edgeKey(edge))!)) edges.set(edgeKey(edge), standing)
      if (rank(standing) > rank(nodes.get(edge.to)!)) {
        nodes.set(edge.to, standing)
        const target = flowchart.nodes.find((each) => each.id === edge.to)
        if (target) queue.push(target)
      }
    }
  }
  // A path may skip where this flowchart version has no edge; the node is still on the path.
  for (const id of path) if (nodes.get(id) === 'untaken') nodes.set(id, 'open')
  return { nodes, edges, decisions }
}

/** Returns the part of the flowchart that was reached, without the branches that were not taken. */
export function taken(flowchart: Flowchart, walked: Walk): Flowchart {
  const reached = (standing: Standing | undefined): boolean => standing !== undefined && standing !== 'untaken'
  return {
    ...flowchart,
    nodes: flowchart.nodes.filter((each) => reached(walked.nodes.get(each.id))),
    edges: flowchart.edges.filter((each) => reached(walked.edges.get(edgeKey(each)))),
  }
}

function rank(standing: Standing): number {
  return { untaken: 0, open: 1, taken: 2 }[standing]
}
