// Geometry of the state picture (redrawn from thesis 3.3, figure 3.x): normal ⇄ saturated {…} ⇄ stopped {…}, others separate.
import type { ServiceDetail, State } from '../api/types'
import { familyOf, type Family } from '../shell/state'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}
export interface StateBox extends Box {
  state: State
}
export interface Edge {
  from: Family
  to: Family
  path: string
  labelX: number
  labelY: number
}
export interface Picture {
  width: number
  height: number
  states: StateBox[]
  groups: (Box & { family: 'saturated' | 'stopped' })[]
  edges: Edge[]
}

const SATURATED: State[] = [
  'saturated/sockets',
  'saturated/processes',
  'saturated/cpu',
  'saturated/memory',
  'saturated/disk',
  'saturated/bandwidth',
]
const STOPPED: State[] = ['stopped/unclear', 'stopped/restarting', 'stopped/crashed']
const OTHERS: State[] = ['upstream-fault', 'failing', 'unreachable', 'unknown']

/** Layout from left to right where there is space, from top to bottom on a phone. */
export function picture(narrow: boolean): Picture {
  return narrow ? tall() : wide()
}

function grid(states: State[], x: number, y: number, columns: number, width: number, height: number, gap: number): StateBox[] {
  return states.map((state, i) => ({
    state,
    x: x + (i % columns) * (width + gap),
    y: y + Math.floor(i / columns) * (height + gap),
    width,
    height,
  }))
}

function wide(): Picture {
  return {
    width: 920,
    height: 232,
    states: [
      { state: 'normal', x: 10, y: 74, width: 130, height: 36 },
      ...grid(SATURATED, 262, 38, 2, 156, 32, 10),
      ...grid(STOPPED, 726, 50, 1, 170, 28, 4),
      ...grid(OTHERS, 10, 194, 4, 180, 32, 12),
    ],
    groups: [
      { family: 'saturated', x: 246, y: 10, width: 354, height: 160 },
      { family: 'stopped', x: 712, y: 22, width: 198, height: 132 },
    ],
    edges: [
      { from: 'normal', to: 'saturated', path: 'M142 82 H240', labelX: 191, labelY: 74 },
      { from: 'saturated', to: 'normal', path: 'M244 102 H146', labelX: 193, labelY: 120 },
      { from: 'saturated', to: 'stopped', path: 'M602 70 H706', labelX: 654, labelY: 62 },
      { from: 'stopped', to: 'saturated', path: 'M710 102 H606', labelX: 656, labelY: 120 },
      { from: 'normal', to: 'stopped', path: 'M75 72 V3 H811 V16', labelX: 676, labelY: 20 },
      { from: 'stopped', to: 'normal', path: 'M811 156 V182 H75 V114', labelX: 656, labelY: 176 },
    ],
  }
}

function tall(): Picture {
  return {
    width: 350,
    height: 582,
    states: [
      { state: 'normal', x: 105, y: 6, width: 140, height: 36 },
      ...grid(SATURATED, 24, 122, 2, 138, 32, 10),
      ...grid(STOPPED, 24, 342, 3, 90, 32, 8),
      ...grid(OTHERS, 85, 404, 1, 180, 32, 10),
    ],
    groups: [
      { family: 'saturated', x: 12, y: 92, width: 312, height: 164 },
      { family: 'stopped', x: 12, y: 312, width: 312, height: 74 },
    ],
    edges: [
      { from: 'normal', to: 'saturated', path: 'M150 44 V86', labelX: 132, labelY: 72 },
      { from: 'saturated', to: 'normal', path: 'M200 90 V48', labelX: 218, labelY: 72 },
      { from: 'saturated', to: 'stopped', path: 'M150 258 V306', labelX: 132, labelY: 288 },
      { from: 'stopped', to: 'saturated', path: 'M200 310 V262', labelX: 218, labelY: 288 },
      { from: 'normal', to: 'stopped', path: 'M103 18 H4 V350 H8', labelX: 54, labelY: 14 },
      { from: 'stopped', to: 'normal', path: 'M326 350 H344 V18 H249', labelX: 296, labelY: 14 },
    ],
  }
}

export interface FamilyCount {
  count: number
  lastCause: string
}

/** Transitions between single states, summed between families. */
export function familyCounts(counts: NonNullable<ServiceDetail['transitionCounts']>): Map<string, FamilyCount> {
  const sums = new Map<string, FamilyCount>()
  for (const each of counts) {
    const key = `${familyOf(each.from)}>${familyOf(each.to)}`
    const sum = sums.get(key) ?? { count: 0, lastCause: '' }
    sum.count += each.count
    sum.lastCause = each.lastCause || sum.lastCause
    sums.set(key, sum)
  }
  return sums
}
