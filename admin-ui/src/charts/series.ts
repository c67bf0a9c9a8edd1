// Columns over time, as the service sends them, updated with live points. Pure functions; times in seconds.
import type { LivePoint, Series } from '../api/types'

export type Column = (number | null)[]

/** Number of live points in the newest step, by index name. The mean of the step needs it. */
export type Weights = Record<string, number>

/** The shortest interval that a chart shows, in seconds, even for a new service. */
const SHORTEST = 120

/**
 * Returns the start of a moving chart. For a service younger than the range the chart begins at its first value.
 *
 * @param from start and `to` end of the range, in seconds
 */
export function beginning(series: Series, from: number, to: number): number {
  const columns = Object.values(series.columns)
  const first = series.times.find((_time, i) => columns.some((column) => typeof column[i] === 'number'))
  return Math.max(from, Math.min(first ?? from, to - SHORTEST))
}

/**
 * Adds one live point. The value of a step is the mean of its points. A step without a report stays null, because a gap
 * is not zero. Changes the arrays in place and removes steps older than `from`.
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
    // After a long silence only the newest interval is used.
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

/** Number of values before and after a hole whose distances decide about the hole. */
const NEIGHBOURS = 3

/**
 * Prepares a column for drawing. A source that reports every ten seconds leaves holes in a chart of one-second steps.
 * Holes of at most two and a half usual distances become `undefined`, and the chart draws a line through them. Longer
 * holes stay null: a gap. The usual distance is measured around each hole. An agent on a busy host reports less often,
 * and with the distance of earlier reports all its later reports would be gaps.
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

/**
 * Returns the values of another series at the places of these times, for comparison.
 *
 * @param times ascending, in seconds
 * @param shift seconds by which the other series lies earlier; 0 for another service at the same time
 */
export function aligned(times: readonly number[], other: Series, name: string, shift: number): Column {
  const column = other.columns[name] ?? []
  const step = Math.max(1, other.stepSeconds)
  let i = 0
  return times.map((time) => {
    const at = time - shift
    while (i + 1 < other.times.length && other.times[i + 1]! <= at) i += 1
    const start = other.times[i]
    return start !== undefined && at >= start && at < start + step ? (column[i] ?? null) : null
  })
}

/** Intervals in which the probe lost packets, in seconds and in order. Values from packets are lower bounds there. */
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

/** Returns comma-separated values: a header, then one line per step. Absent values are empty. */
export function toCsv(times: readonly number[], columns: { name: string; values: readonly (number | null | undefined)[] }[]): string {
  const head = ['time', ...columns.map((each) => each.name)].map(quoted).join(',')
  const lines = times.map((time, index) =>
    [new Date(time * 1000).toISOString(), ...columns.map((each) => each.values[index] ?? '')].join(','),
  )
  return [head, ...lines].join('\r\n') + '\r\n'
}

function quoted(text: string): string {
  // A spreadsheet would run a leading = + - @ as a formula.
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
