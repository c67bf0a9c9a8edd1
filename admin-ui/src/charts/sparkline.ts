// Geometry of a sparkline: a line that is interrupted where there is no value.
export interface Sparkline {
  paths: string[]
  /** Height of the threshold line; absent without a threshold. */
  threshold: number | null
}

type Values = readonly (number | null | undefined)[]

/**
 * Returns the lines. The vertical axis starts at zero and contains the threshold, so that two sparklines can be compared.
 *
 * @param points number of points in the full width; fewer values are drawn at the right, so that every second has the same width
 */
export function sparkline(values: Values, width: number, height: number, threshold?: number | null, points = values.length): Sparkline {
  const known = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value))
  const top = Math.max(...known, threshold ?? 0, 0)
  const y = (value: number): number => round(height - 1 - (top === 0 ? 0 : (Math.max(0, value) / top) * (height - 2)))
  const places = Math.max(points, values.length)
  const step = places > 1 ? width / (places - 1) : 0
  const before = places - values.length
  const paths: string[] = []
  let current = ''
  let drawn = 0
  const finish = (): void => {
    if (drawn === 1) current += 'h-1.5' // a single point stays visible, at the right edge too
    if (current) paths.push(current)
    current = ''
    drawn = 0
  }
  values.forEach((value, index) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return finish()
    current += `${current ? 'L' : 'M'}${round((before + index) * step)} ${y(value)}`
    drawn += 1
  })
  finish()
  return { paths, threshold: typeof threshold === 'number' ? y(threshold) : null }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
