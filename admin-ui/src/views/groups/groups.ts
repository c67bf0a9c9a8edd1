// Figures of groups in words and shades. Pure.
import type { OddClue } from '../../api/types'
import { ABSENT, millis, percent, plain } from '../../shell/format'

/** Shades of a heat map, the palest first. */
export const SHADES = 6

/** A figure of the odd one out, in its unit. */
export function clueFigure(clue: OddClue, value: number, locale = 'en'): string {
  const inUnit = { millis, share: percent, count: plain }[clue.unit]
  return inUnit(value, locale)
}

/** The time from which a response or a transfer is slow; empty for other figures. */
export function clueTime(clue: OddClue, locale = 'en'): string {
  return clue.longerThanMillis === undefined ? '' : millis(clue.longerThanMillis, locale)
}

/**
 * The shade of each value, 0 to SHADES - 1; null without a value. The scale is logarithmic, because response times
 * differ by powers of ten, and reaches from the lowest to the highest value of all rows. Equal values are all pale.
 */
export function shades(rows: (number | null)[][]): (number | null)[][] {
  const present = rows.flat().filter((value): value is number => value !== null)
  const log = (value: number) => Math.log10(Math.max(value, 1e-3))
  const least = Math.min(...present.map(log))
  const most = Math.max(...present.map(log))
  return rows.map((row) =>
    row.map((value) => {
      if (value === null) return null
      if (most - least < 1e-9) return 0
      return Math.min(SHADES - 1, Math.floor(((log(value) - least) / (most - least)) * SHADES))
    }),
  )
}

/** At most `most` edges of the columns, at equal distances to half a column, the first and the last one among them. */
export function edges(bins: readonly { fromMillis: number; toMillis: number }[], most: number): number[] {
  const all = [...bins.map((bin) => bin.fromMillis), ...bins.slice(-1).map((bin) => bin.toMillis)]
  const steps = Math.min(most, all.length) - 1
  return Array.from({ length: steps + 1 }, (_, at) => all[Math.round((at * (all.length - 1)) / steps)]!)
}

/** One SVG path for each shade, with the cells of a row that have it: a few elements for many cells. */
export function cells(row: (number | null)[], width: number, height: number): string[] {
  const paths = Array.from({ length: SHADES }, () => '')
  row.forEach((shade, column) => {
    if (shade !== null) paths[shade] += `M${column * width} 0h${width}v${height}h${-width}z`
  })
  return paths
}

/** The lowest and the highest value of a heat map; null without any value. */
export function heatRange(rows: (number | null)[][]): { least: number; most: number } | null {
  const present = rows.flat().filter((value): value is number => value !== null)
  return present.length === 0 ? null : { least: Math.min(...present), most: Math.max(...present) }
}

/** The key that groups are shown by: the wanted one if it exists, else the one with the fewest values above one. */
export function chosenKey(keys: { key: string; services: number; values: string[] }[], wanted: string): string {
  if (keys.some((each) => each.key === wanted)) return wanted
  const useful = keys.filter((each) => each.values.length < each.services)
  return (useful[0] ?? keys[0])?.key ?? ''
}

/** A setting's value in a table. */
export function settingValue(value: string | null | undefined): string {
  return value ?? ABSENT
}
