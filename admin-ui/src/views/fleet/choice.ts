// What the pages with many services show: filters, order, view and page. They are part of the address, so that a link shows a colleague the
// same services.
import type { LocationQuery, LocationQueryRaw } from 'vue-router'
import type { Row } from '../../shell/fleet'
import { matches, texts } from '../../shell/labels'
import { familyOf, type Family } from '../../shell/state'

/** From this number of services on, the console shows tables and a map in place of cards. */
export const MANY = 12
/** Rows of one page of the table. */
export const PAGE_ROWS = 50

/** The order of the counts. A service that waits for another server comes after the possible causes. */
export const FAMILIES: Family[] = ['stopped', 'saturated', 'fault', 'unknown', 'normal']
export const COLUMNS = ['name', 'state', 'since', 'arrival', 'processed', 'concurrent', 'response', 'errors', 'hitRatio'] as const
export type Column = (typeof COLUMNS)[number]
export type View = 'table' | 'map'

export interface Choice {
  families: Family[]
  kind: string
  /** A selector such as `team=shop`; empty: any. */
  label: string
  text: string
  /** Null: the order of the central service, the worst first. */
  sort: Column | null
  descending: boolean
  view: View | null
  page: number
}

export function choiceOf(query: LocationQuery): Choice {
  const text = (name: string): string => (typeof query[name] === 'string' ? query[name] : '')
  const sort = text('sort').replace(/^-/, '')
  return {
    families: FAMILIES.filter((each) => text('state').split(',').includes(each)),
    kind: text('kind'),
    label: text('label'),
    text: text('text'),
    sort: COLUMNS.find((each) => each === sort) ?? null,
    descending: text('sort').startsWith('-'),
    view: (['table', 'map'] as const).find((each) => each === text('view')) ?? null,
    page: Math.max(1, Math.floor(Number(text('page'))) || 1),
  }
}

/** Returns the query of an address; parts that are as usual are left out. */
export function queryOf(choice: Choice): LocationQueryRaw {
  return {
    state: choice.families.join(',') || undefined,
    kind: choice.kind || undefined,
    label: choice.label || undefined,
    text: choice.text || undefined,
    sort: choice.sort ? (choice.descending ? '-' : '') + choice.sort : undefined,
    view: choice.view ?? undefined,
    page: choice.page > 1 ? String(choice.page) : undefined,
  }
}

export function filtered(rows: Row[], choice: Choice): Row[] {
  const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(
    (each) =>
      (choice.families.length === 0 || choice.families.includes(familyOf(each.state))) &&
      (choice.kind === '' || each.kind === choice.kind) &&
      (choice.label === '' || matches(choice.label, each.labels)) &&
      (words.length === 0 || hasWords(each, words)),
  )
}

function hasWords(row: Row, words: string[]): boolean {
  const text = [row.id, row.name, row.kind, row.node, row.state, ...row.addresses, ...texts(row.labels)].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Returns the rows in the chosen order. Problems stay in front of the others; a row without the figure comes last among its like. */
export function sorted(rows: Row[], sort: Column | null, descending: boolean): Row[] {
  if (!sort) return rows
  const keys = new Map(rows.map((each) => [each, keyOf(each, sort)]))
  const direction = descending ? -1 : 1
  return [...rows].sort((one, other) => {
    const pinned = Number(isProblem(other)) - Number(isProblem(one))
    if (pinned !== 0) return pinned
    const [a, b] = [keys.get(one) ?? null, keys.get(other) ?? null]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return (a < b ? -1 : a > b ? 1 : 0) * direction
  })
}

export function isProblem(row: Row): boolean {
  return row.state !== 'normal'
}

function keyOf(row: Row, sort: Column): string | number | null {
  switch (sort) {
    case 'name':
      return `${row.name} ${row.node ?? ''} ${row.id}`.toLowerCase()
    case 'state':
      return FAMILIES.indexOf(familyOf(row.state))
    case 'since':
      return -Date.parse(row.since)
    case 'arrival':
      return row.summary.arrivalPerSecond
    case 'processed':
      return row.summary.processedPerSecond
    case 'concurrent':
      return row.summary.concurrent
    case 'response':
      return row.summary.responseP95Millis
    case 'errors':
      return row.summary.errorsPerSecond
    case 'hitRatio':
      return row.summary.hitRatio
  }
}
