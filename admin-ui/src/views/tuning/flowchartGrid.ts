// Row and column of every box. The side branch of a question goes to the right: it is the branch that joins the other one
// again, or the shorter one. The other branch continues the trunk.
import type { Flowchart } from '../../api/types'

export interface Cell {
  row: number
  column: number
}

/** Returns the cell of every node. No two nodes share a cell. Unreachable nodes are below the rest. */
export function grid(flowchart: Flowchart): Map<string, Cell> {
  const ids = new Set(flowchart.nodes.map((node) => node.id))
  const targets = new Map(flowchart.nodes.map((node) => [node.id, [] as string[]]))
  // "Yes" first: of two equal branches it becomes the side branch.
  for (const answer of ['yes', 'no', 'next'] as const) {
    for (const edge of flowchart.edges) if (edge.answer === answer && ids.has(edge.from) && ids.has(edge.to)) targets.get(edge.from)!.push(edge.to)
  }
  const reaches = reachability(targets)
  const cells = new Map<string, Cell>()

  /** Places a trunk from here down to a node that is placed already or belongs to a trunk further left. @returns the first free row */
  function trunk(start: string, row: number, column: number, taboo: ReadonlySet<string>): number {
    let current: string | undefined = start
    while (current !== undefined && !cells.has(current) && !taboo.has(current)) {
      cells.set(current, { row, column })
      const ahead: string[] = targets.get(current)!
      const onward = continuation(ahead)
      const kept = new Set(taboo)
      if (onward !== undefined) for (const each of [onward, ...reaches.get(onward)!]) kept.add(each)
      let free = row
      for (const branch of ahead) if (branch !== onward) free = trunk(branch, free, column + 1, kept)
      row = Math.max(row + 1, free)
      current = onward
    }
    return row
  }

  /** Returns the branch that another branch joins, otherwise the one with the most nodes ahead, the last of equals. */
  function continuation(ahead: string[]): string | undefined {
    const joined = ahead.find((each) => ahead.some((other) => other !== each && reaches.get(other)!.has(each)))
    return joined ?? [...ahead].reverse().sort((one, other) => reaches.get(other)!.size - reaches.get(one)!.size)[0]
  }

  let row = 0
  const starts = flowchart.nodes.filter((node) => node.kind === 'start').map((node) => node.id)
  for (const id of [...starts, ...ids]) if (!cells.has(id)) row = trunk(id, row, 0, new Set())
  return cells
}

function reachability(targets: Map<string, string[]>): Map<string, Set<string>> {
  return new Map(
    [...targets.keys()].map((id) => {
      const seen = new Set<string>()
      const queue = [...targets.get(id)!]
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (seen.has(next)) continue
        seen.add(next)
        queue.push(...targets.get(next)!)
      }
      return [id, seen]
    }),
  )
}
