// Options of a uPlot chart: axes, lines, state shading, marks. Without component state.
import uPlot from 'uplot'
import type { Series, State } from '../api/types'
import { familyOf, type Family } from '../shell/state'

export interface Line {
  name: string
  label: string
  values: readonly (number | null | undefined)[]
  /** Values of the compared time or service at the same places; drawn fainter. */
  compared?: readonly (number | null | undefined)[]
}

/** A value at which a rule decides, drawn across the chart. */
export interface Limit {
  value: number
  /** The limit in words, such as "≥ 95 %". */
  label: string
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

/** A limit further above the highest value than this factor is not drawn: it would flatten the lines. */
const FAR = 4

/** Returns the upper end of the value axis: room for the highest value and for each limit that is near. */
export function ceiling(highest: number | null | undefined, limits: readonly Limit[]): number {
  const top = Number.isFinite(highest) && highest! > 0 ? highest! : 0
  const near = limits.map((each) => each.value).filter((value) => value > top && value <= top * FAR)
  return Math.max(top, ...near) * 1.08 || 1
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
  stateText(state: State): string
  limits(): readonly Limit[]
  bounds(): Selection
  states(): States
  marks(): Marks
  /** Times in which the probe lost packets. */
  losses(): Selection[]
  /** @param left distance of the cursor from the left edge of the plot, in pixels */
  onCursor(index: number | null, left: number): void
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
      y: { range: (_u, _min, max) => [0, ceiling(max, input.limits())] },
    },
    axes: [
      { ...axis, size: 28, space: 70, values: (u, splits, _axis, _space, increment) => {
          const { min = 0, max = 1 } = u.scales.x!
          const scale = (u.width - AXIS_WIDTH - PADDING_RIGHT) / (max! - min!)
          return wholeLabels(timeLabels(input.locale, splits, increment), splits.map((each) => (max! - each) * scale))
        } },
      { ...axis, ...(input.binary ? { incrs: BINARY_STEPS } : {}), size: AXIS_WIDTH, space: 28, values: (_u, splits) => splits.map((each) => input.valueText(each)) },
    ],
    series: [{}, ...input.lines.map((_line, index) => stroke(index, 1.5, 1)), ...compared(input.lines).map((index) => stroke(index, 1, 0.45))],
    hooks: {
      drawClear: [(u) => shade(u, input.states(), input.stateText), (u) => underline(u, input.losses())],
      draw: [(u) => drawMarks(u, input.marks()), (u) => drawLimits(u, input.limits())],
      setCursor: [(u) => input.onCursor(u.cursor.idx ?? null, u.cursor.left ?? -1)],
      setSelect: [
        (u) => {
          if (u.select.width < 3) return
          input.onSelect({ from: u.posToVal(u.select.left, 'x'), to: u.posToVal(u.select.left + u.select.width, 'x') })
        },
      ],
    },
  }
}

function stroke(index: number, width: number, alpha: number): uPlot.Series {
  return { stroke: token(`--plot-${(index % 4) + 1}`), width, alpha, dash: DASHES[index % DASHES.length], points: { show: false } }
}

/** The indices of the lines that have compared values. Their series follow those of all lines. */
export function compared(lines: readonly Line[]): number[] {
  return lines.flatMap((line, index) => (line.compared ? [index] : []))
}

/** Returns the columns that uPlot draws: times, the lines, the compared values. */
export function columnsOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [times as number[], ...lines.map((line) => line.values as (number | null)[]), ...compared(lines).map((index) => lines[index]!.compared as (number | null)[])]
}

function seconds(at: string): number {
  return Date.parse(at) / 1000
}

/** Narrowest band of a state that has its name in it, in pixels of the screen. */
const NAMED_BAND = 90

/** Colours the background of times that were not normal, so that values and states are visible together. */
function shade(u: uPlot, states: States, textOf: (state: State) => string): void {
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
    if (w >= NAMED_BAND * devicePixelRatio) write(u, textOf(piece.state), x + 4 * devicePixelRatio, top + 2 * devicePixelRatio, w)
  }
}

/** Writes a small text below a point, cut to a width. */
function write(u: uPlot, text: string, x: number, y: number, width: number): void {
  u.ctx.save()
  u.ctx.beginPath()
  u.ctx.rect(x, y, width - 4 * devicePixelRatio, 14 * devicePixelRatio)
  u.ctx.clip()
  u.ctx.fillStyle = token('--ink-2')
  u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
  u.ctx.textAlign = 'left'
  // Characters of Japanese fonts are higher than the box of the Latin font.
  u.ctx.textBaseline = 'middle'
  u.ctx.fillText(text, x, y + 7 * devicePixelRatio)
  u.ctx.restore()
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
    u.ctx.strokeStyle = token(mark.kind === 'change' || mark.kind === 'note' ? '--accent' : mark.kind === 'restart' ? '--bad' : '--dim')
    u.ctx.setLineDash(mark.kind === 'gap' ? [2, 4] : [6, 3])
    u.ctx.beginPath()
    u.ctx.moveTo(x, top)
    u.ctx.lineTo(x, top + height)
    u.ctx.stroke()
  }
  u.ctx.restore()
}

/** Draws each limit within the axis as a dashed line with its value at the right. */
function drawLimits(u: uPlot, limits: readonly Limit[]): void {
  const { left, width } = u.bbox
  const highest = u.scales.y?.max ?? 0
  u.ctx.save()
  u.ctx.lineWidth = Math.max(1, devicePixelRatio)
  u.ctx.strokeStyle = token('--bad')
  u.ctx.fillStyle = token('--bad')
  u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
  u.ctx.textAlign = 'right'
  for (const limit of limits) {
    if (limit.value > highest) continue
    const y = Math.round(u.valToPos(limit.value, 'y', true))
    u.ctx.setLineDash([4, 3])
    u.ctx.beginPath()
    u.ctx.moveTo(left, y)
    u.ctx.lineTo(left + width, y)
    u.ctx.stroke()
    // Below the line at the upper edge, above it elsewhere.
    const above = y - u.bbox.top > 16 * devicePixelRatio
    u.ctx.textBaseline = above ? 'bottom' : 'top'
    u.ctx.fillText(limit.label, left + width - 4 * devicePixelRatio, y + (above ? -2 : 2) * devicePixelRatio)
  }
  u.ctx.restore()
}
