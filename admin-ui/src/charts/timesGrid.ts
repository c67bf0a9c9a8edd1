// Geometry of the picture of response time by transfer time: position and shade of cells, boundary of two clusters. Pure functions.
export interface Cell {
  responseStep: number
  transferStep: number
  count: number
}

/** Steps are eighths of a decade from 1 µs on both axes (docs/formats/telemetry-wire.md). */
export const STEPS_PER_DECADE = 8

/** Shortest time of a step, in microseconds. */
export function fromMicros(step: number): number {
  return 10 ** (step / STEPS_PER_DECADE)
}

export interface Extent {
  from: number
  /** One past the last step. */
  to: number
}

/** Whole decades around the data, at least two, so that the picture does not change with every response. */
export function extent(steps: readonly number[]): Extent {
  const first = Math.floor(Math.min(...steps) / STEPS_PER_DECADE)
  const last = Math.floor(Math.max(...steps) / STEPS_PER_DECADE)
  const from = Math.max(0, Math.min(first, last - 1))
  return { from: from * STEPS_PER_DECADE, to: (Math.max(last, from + 1) + 1) * STEPS_PER_DECADE }
}

/** Five shades by order of magnitude: a rare cell stays visible beside a frequent one. */
export function shade(count: number, most: number): 1 | 2 | 3 | 4 | 5 {
  if (count <= 0 || most <= 1) return most <= 1 ? 5 : 1
  return (1 + Math.min(4, Math.floor((Math.log(count) / Math.log(most)) * 4.999))) as 1 | 2 | 3 | 4 | 5
}

export interface Parting {
  /** One past the last step of the faster cluster. */
  until: number
  /** The first step of the slower cluster. */
  step: number
  /** Share of the responses in the faster cluster. */
  share: number
}

/**
 * Returns the boundary between a fast and a slow cluster of T_r: the split with the least variance of log time within
 * both clusters (Otsu 1979). Null when one cluster explains the times about as well, that is, when the split removes
 * less than three quarters of the variance. The split of a single bell curve at its middle removes 64 %.
 */
export function parting(cells: readonly Cell[]): Parting | null {
  const counts = new Map<number, number>()
  for (const cell of cells) counts.set(cell.responseStep, (counts.get(cell.responseStep) ?? 0) + cell.count)
  const steps = [...counts.keys()].sort((a, b) => a - b)
  let total = 0
  let sum = 0
  let squares = 0
  for (const step of steps) {
    const count = counts.get(step)!
    total += count
    sum += count * step
    squares += count * step * step
  }
  if (steps.length < 2) return null
  const variance = squares / total - (sum / total) ** 2
  let best: Parting | null = null
  let between = 0
  let below = 0
  let belowSum = 0
  for (let i = 0; i + 1 < steps.length; i++) {
    below += counts.get(steps[i]!)!
    belowSum += counts.get(steps[i]!)! * steps[i]!
    const gap = belowSum / below - (sum - belowSum) / (total - below)
    const apart = ((below * (total - below)) / total ** 2) * gap ** 2
    if (apart > between) {
      between = apart
      best = { until: steps[i]! + 1, step: steps[i + 1]!, share: below / total }
    }
  }
  return best !== null && between >= 0.75 * variance ? best : null
}

/** Number of responses of each step on one axis, within the extent. */
export function margin(cells: readonly Cell[], axis: 'responseStep' | 'transferStep', over: Extent): number[] {
  const bars = new Array<number>(over.to - over.from).fill(0)
  for (const cell of cells) {
    const at = cell[axis] - over.from
    if (at >= 0 && at < bars.length) bars[at]! += cell.count
  }
  return bars
}
