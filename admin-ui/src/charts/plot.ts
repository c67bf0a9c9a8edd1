// Options of a uPlot chart: axes, lines, state shading, marks. Without component state.
import uPlot from 'uplot'
import type { Series, State } from '../api/types'
import { familyOf, type Family } from '../shell/state'

export interface Line {
  name: string
  label: string
  values: readonly (number | null | undefined)[]
}

export interface Selection {
  /** Seconds since the epoch. */
  from: number
  to: number
}

export type Marks = Series['marks']
export type States = NonNullable<Series['states']>

export const AXIS_WIDTH = 72
export const DASHES: number[][] = [[], [7, 3], [2, 3], [10, 3, 2, 3]]

export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

const SOFT: Record<Family, string> = {
  normal: '',
  saturated: '--warn-soft',
  stopped: '--bad-soft',
  fault: '--fault-soft',
  unknown: '--dim-soft',
}

export function shadeOf(state: State): string {
  return SOFT[familyOf(state)]
}

/** Labels of the time axis: seconds only for fine steps, the day only for coarse steps. */
export function timeLabels(locale: string, splits: number[], increment: number): string[] {
  const options: Intl.DateTimeFormatOptions =
    increment >= 86_400
      ? { month: 'numeric', day: 'numeric' }
      : increment >= 60
        ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
        : { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }
  const format = new Intl.DateTimeFormat(locale, options)
  return splits.map((each) => format.format(each * 1000))
}

/** Widest character of a time label in pixels. */
const LABEL_CHARACTER = 7
const PADDING_RIGHT = 10

/** Empties the labels that the right edge of the drawing would cut off. Positions are pixels left of the plot's right edge. */
export function wholeLabels(labels: string[], beforeEnd: number[]): string[] {
  return labels.map((each, i) => ((each.length * LABEL_CHARACTER) / 2 > beforeEnd[i]! + PADDING_RIGHT ? '' : each))
}

/** Steps of a byte axis: powers of two, so that labels read 2 MiB and not 1.9. */
const BINARY_STEPS = Array.from({ length: 50 }, (_, i) => 2 ** i)

export interface PlotInput {
  width: number
  height: number
  syncKey: string
  lines: Line[]
  locale: string
  binary: boolean
  valueText(value: number | null | undefined): string
  bounds(): Selection
  states(): States
  marks(): Marks
  /** Times in which the probe lost packets. */
  losses(): Selection[]
  onCursor(index: number | null): void
  onSelect(selection: Selection): void
}

export function plotOptions(input: PlotInput): uPlot.Options {
  const ink = token('--ink-2')
  const grid = { stroke: token('--plot-grid'), width: 1 }
  const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: '12px system-ui, sans-serif' }
  return {
    width: input.width,
    height: input.height,
    padding: [8, PADDING_RIGHT, 0, 0],
    legend: { show: false },
    cursor: {
      sync: { key: input.syncKey, setSeries: false },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
    },
    scales: {
      x: {
        time: true,
        range: () => {
          const { from, to } = input.bounds()
          return [from, to]
        },
      },
      y: { range: (_u, _min, max) => [0, Number.isFinite(max) && max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: 28, space: 70, values: (u, splits, _axis, _space, increment) => {
          const { min = 0, max = 1 } = u.scales.x!
          const scale = (u.width - AXIS_WIDTH - PADDING_RIGHT) / (max! - min!)
          return wholeLabels(timeLabels(input.locale, splits, increment), splits.map((each) => (max! - each) * scale))
        } },
      { ...axis, ...(input.binary ? { incrs: BINARY_STEPS } : {}), size: AXIS_WIDTH, space: 28, values: (_u, splits) => splits.map((each) => input.valueText(each)) },
    ],
    series: [
      {},
      ...input.lines.map((line, index) => ({
        label: line.label,
        stroke: token(`--plot-${(index % 4) + 1}`),
        width: 1.5,
        dash: DASHES[index % DASHES.length],
        points: { show: false },
      })),
    ],
    hooks: {
      drawClear: [(u) => shade(u, input.states()), (u) => underline(u, input.losses())],
      draw: [(u) => drawMarks(u, input.marks())],
      setCursor: [(u) => input.onCursor(u.cursor.idx ?? null)],
      setSelect: [
        (u) => {
          if (u.select.width < 3) return
          input.onSelect({ from: u.posToVal(u.select.left, 'x'), to: u.posToVal(u.select.left + u.select.width, 'x') })
        },
      ],
    },
  }
}

function seconds(at: string): number {
  return Date.parse(at) / 1000
}

/** Colours the background of times that were not normal, so that values and states are visible together. */
function shade(u: uPlot, states: States): void {
  const { left, top, width, height } = u.bbox
  for (const piece of states) {
    const name = shadeOf(piece.state)
    if (name === '') continue
    const a = u.valToPos(seconds(piece.from), 'x', true)
    const b = piece.to ? u.valToPos(seconds(piece.to), 'x', true) : left + width
    const x = Math.max(left, a)
    const w = Math.min(left + width, b) - x
    if (!(w > 0)) continue
    u.ctx.fillStyle = token(name)
    u.ctx.fillRect(x, top, w, height)
  }
}

/** Draws a strip at the foot of the plot, as in the ribbon: these values are lower bounds. */
function underline(u: uPlot, losses: Selection[]): void {
  const { left, top, width, height } = u.bbox
  const thick = 3 * devicePixelRatio
  u.ctx.fillStyle = token('--bad')
  for (const piece of losses) {
    const x = Math.max(left, u.valToPos(piece.from, 'x', true))
    const w = Math.min(left + width, u.valToPos(piece.to, 'x', true)) - x
    if (w > 0) u.ctx.fillRect(x, top + height - thick, Math.max(w, devicePixelRatio), thick)
  }
}

function drawMarks(u: uPlot, marks: Marks): void {
  const { left, top, width, height } = u.bbox
  u.ctx.save()
  u.ctx.lineWidth = Math.max(1, devicePixelRatio)
  for (const mark of marks) {
    const x = Math.round(u.valToPos(seconds(mark.at), 'x', true))
    if (x < left || x > left + width) continue
    u.ctx.strokeStyle = token(mark.kind === 'change' ? '--accent' : mark.kind === 'restart' ? '--bad' : '--dim')
    u.ctx.setLineDash(mark.kind === 'gap' ? [2, 4] : [6, 3])
    u.ctx.beginPath()
    u.ctx.moveTo(x, top)
    u.ctx.lineTo(x, top + height)
    u.ctx.stroke()
  }
  u.ctx.restore()
}
