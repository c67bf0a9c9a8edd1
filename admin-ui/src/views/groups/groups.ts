// Figures of groups in words and shades. Pure.
import type { OddClue } from '../../api/types'
import { ABSENT, millis, percent } from '../../shell/format'

/** Shades of a heat map, the palest first. */
export const SHADES = 6

/** A figure of the odd one out, in its unit. */
export function clueFigure(clue: OddClue, value: number, locale = 'en'): string {
  return clue.unit === 'millis' ? millis(value, locale) : percent(value, locale)
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
