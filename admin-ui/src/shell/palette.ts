// What the palette (Ctrl+K) offers: actions, pages, services, incidents, settings, rules and changes, found by words.
import type { RouteLocationRaw } from 'vue-router'

export const KINDS = ['action', 'page', 'service', 'incident', 'setting', 'rule', 'change'] as const
export type PaletteKind = (typeof KINDS)[number]

export interface PaletteItem {
  key: string
  kind: PaletteKind
  name: string
  /** More words by which it is found; shown beside the name. */
  detail: string
  /** The page that it opens, or what it does. */
  to: RouteLocationRaw | (() => void)
}

/** The longest list of one kind. */
export const MOST_OF_A_KIND = 8

/** Returns the items that contain all words, grouped by kind: names that begin with the text first, then names with it, then others. */
export function found(items: PaletteItem[], text: string): [PaletteKind, PaletteItem[]][] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/).filter(Boolean)
  const hits = items.filter((each) => {
    const all = `${each.name} ${each.detail}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  return KINDS.map((kind): [PaletteKind, PaletteItem[]] => [
    kind,
    hits
      .filter((each) => each.kind === kind)
      .sort((one, other) => rank(one, wanted) - rank(other, wanted))
      .slice(0, MOST_OF_A_KIND),
  ]).filter(([, list]) => list.length > 0)
}

function rank(item: PaletteItem, wanted: string): number {
  const name = item.name.toLowerCase()
  return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2
}
