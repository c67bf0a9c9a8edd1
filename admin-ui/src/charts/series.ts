// Columns over time, as the service sends them, kept up to date with live points. Pure: times in seconds.
import type { LivePoint, Series } from '../api/types'

export type Column = (number | null)[]

/** How many live points the newest step holds, by index name; needed to keep its mean. */
export type Weights = Record<string, number>

/** The shortest stretch a chart shows, in seconds, however young its service. */
const SHORTEST = 120

/**
 * Where a moving chart begins: a service younger than the range fills it from its first figure on.
 *
 * @param from start and `to` end of the range, in seconds
 */
export function beginning(series: Series, from: number, to: number): number {
  const columns = Object.values(series.columns)
  const first = series.times.find((_time, i) => columns.some((column) => typeof column[i] === 'number'))
  return Math.max(from, Math.min(first ?? from, to - SHORTEST))
}

/**
 * Adds one live point. A step's figure is the mean of the points that fall into it; a step nobody reported stays null,
 * because a gap is not zero. Changes the arrays in place and drops what is older than `from`.
 *
 * @returns whether anything changed
 */
export function append(series: Series, weights: Weights, point: LivePoint, from: number): boolean {
  const step = Math.max(1, series.stepSeconds)
  const at = Math.floor(point.time / step) * step
  const newest = series.times.at(-1)
  if (newest !== undefined && at < newest) return false
  if (newest === undefined || at > newest) {
    const first = newest === undefined ? at : newest + step
    // After a long silence only the newest stretch matters.
    for (let time = Math.max(first, at - 10_000 * step); time <= at; time += step) {
      series.times.push(time)
      series.underLoss?.push(false)
      for (const column of Object.values(series.columns)) column.push(null)
    }
    for (const name of Object.keys(weights)) delete weights[name]
  }
  const last = series.times.length - 1
  for (const [name, column] of Object.entries(series.columns)) {
    const value = point.values[name]
    if (typeof value !== 'number') continue
    const weight = weights[name] ?? 0
    const before = column[last]
    column[last] = weight === 0 || typeof before !== 'number' ? value : before + (value - before) / (weight + 1)
    weights[name] = weight + 1
  }
  if (point.underLoss && series.underLoss) series.underLoss[last] = true
  const old = series.times.findIndex((time) => time >= from)
  if (old > 0) {
    series.times.splice(0, old)
    series.underLoss?.splice(0, old)
    for (const column of Object.values(series.columns)) column.splice(0, old)
  }
  return true
}

/** A hole is judged by the distances of this many figures before it, and as many after it. */
const NEIGHBOURS = 3

/**
 * Prepares a column for drawing. A source that reports every ten seconds leaves holes in a chart of one-second steps;
 * holes not longer than two and a half of its usual distances become `undefined`, which the chart draws through,
 * longer ones stay null: a gap. What is usual is asked around each hole: an agent on a busy host reports less often, and
 * what it reported before would make gaps of all that comes now.
 */
export function bridged(column: Column): (number | null | undefined)[] {
  const known: number[] = []
  column.forEach((value, index) => {
    if (value !== null) known.push(index)
  })
  if (known.length < 3) return column
  const distances = known.slice(1).map((index, i) => index - known[i]!)
  const result: (number | null | undefined)[] = [...column]
  distances.forEach((distance, i) => {
    if (distance === 1) return
    const usual = median(distances.slice(Math.max(0, i - NEIGHBOURS), i + NEIGHBOURS + 1))
    if (usual > 1 && distance <= usual * 2.5) result.fill(undefined, known[i]! + 1, known[i + 1]!)
  })
  return result
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** Stretches in which the monitor itself lost packets: what it says of them is a lower bound. In seconds, in order. */
export function losses(series: Pick<Series, 'times' | 'stepSeconds' | 'underLoss'>): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = []
  series.times.forEach((time, index) => {
    if (!series.underLoss?.[index]) return
    const last = spans.at(-1)
    const to = time + Math.max(1, series.stepSeconds)
    if (last && time <= last.to) last.to = to
    else spans.push({ from: time, to })
  })
  return spans
}

/** Comma-separated values: a header, then one line per step; absent figures are empty. */
export function toCsv(times: readonly number[], columns: { name: string; values: readonly (number | null | undefined)[] }[]): string {
  const head = ['time', ...columns.map((each) => each.name)].map(quoted).join(',')
  const lines = times.map((time, index) =>
    [new Date(time * 1000).toISOString(), ...columns.map((each) => each.values[index] ?? '')].join(','),
  )
  return [head, ...lines].join('\r\n') + '\r\n'
}

function quoted(text: string): string {
  // A leading = + - @ would be run as a formula by a spreadsheet.
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
