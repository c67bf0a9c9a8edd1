// What lies in a cache, level by level, and the orders that name it. Pure.
import type { CacheChild, PurgeRequest } from '../../api/types'

export interface Crumb {
  label: string
  /** The prefix of this level. */
  prefix: string
}

/** The way from the hosts down to a prefix: `h/img/a` → `h/`, `img/`, `a`. */
export function crumbs(prefix: string): Crumb[] {
  const found: Crumb[] = []
  let from = 0
  // A query belongs to its last segment: its slashes divide nothing.
  const query = prefix.indexOf('?')
  const end = query < 0 ? prefix.length : query
  while (from < prefix.length) {
    const slash = prefix.indexOf('/', from)
    const to = slash < 0 || slash >= end ? prefix.length : slash + 1
    found.push({ label: prefix.slice(from, to), prefix: prefix.slice(0, to) })
    from = to
  }
  return found
}

/** Whether it leads further down; else it is an object. */
export function isFolder(child: CacheChild): boolean {
  return child.name.endsWith('/') && !child.name.includes('?') && !(child.object && child.objects === 1 && child.name === '')
}

const SECURE = ' https'

/** Orders for one URL begin with its scheme; stored names end with it, and only when it is https. No target holds a space. */
export function urlOf(prefix: string): string {
  return prefix.endsWith(SECURE) ? `https://${prefix.slice(0, -SECURE.length)}` : `http://${prefix}`
}

export type PurgeKind = 'url' | 'prefix' | 'tags' | 'all'

export const PURGE_KINDS: readonly PurgeKind[] = ['url', 'prefix', 'tags', 'all']

/** The order, or null while it names nothing. */
export function orderOf(kind: PurgeKind, value: string, soft: boolean): PurgeRequest | null {
  const text = value.trim()
  if (kind === 'all') return { all: true, soft }
  if (text === '') return null
  if (kind === 'tags') return { tags: [...new Set(text.split(/[\s,]+/).filter(Boolean))], soft }
  return kind === 'url' ? { url: /^https?:\/\//i.test(text) ? text : urlOf(text), soft } : { prefix: text, soft }
}

/** Shares of a whole, for bars; nothing when there is no whole. */
export function shares(parts: Record<string, number | undefined>): { key: string; count: number; share: number }[] {
  const known = Object.entries(parts).map(([key, count]) => ({ key, count: count ?? 0 }))
  const whole = known.reduce((sum, each) => sum + each.count, 0)
  return whole === 0 ? [] : known.map((each) => ({ ...each, share: each.count / whole }))
}
