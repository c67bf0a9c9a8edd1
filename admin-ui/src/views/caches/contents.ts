// The contents of a cache, level by level, and the purge orders for them. Pure functions.
import type { CacheChild, PurgeRequest } from '../../api/types'

export interface Crumb {
  label: string
  /** The prefix of this level. */
  prefix: string
}

/** Returns the levels from the hosts down to a prefix: `h/img/a` → `h/`, `img/`, `a`. */
export function crumbs(prefix: string): Crumb[] {
  const found: Crumb[] = []
  let from = 0
  // A query belongs to the last segment: its slashes do not separate levels.
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

/** Returns whether the entry is a level with entries below it; otherwise it is an object. */
export function isFolder(child: CacheChild): boolean {
  return child.name.endsWith('/') && !child.name.includes('?') && !(child.object && child.objects === 1 && child.name === '')
}

const SECURE = ' https'

/** Returns the URL of a stored name. Orders begin with the scheme; stored names end with it, and only for https. No target contains a space. */
export function urlOf(prefix: string): string {
  return prefix.endsWith(SECURE) ? `https://${prefix.slice(0, -SECURE.length)}` : `http://${prefix}`
}

export type PurgeKind = 'url' | 'prefix' | 'tags' | 'all'

export const PURGE_KINDS: readonly PurgeKind[] = ['url', 'prefix', 'tags', 'all']

/** Returns the order, or null while it is incomplete. */
export function orderOf(kind: PurgeKind, value: string, soft: boolean): PurgeRequest | null {
  const text = value.trim()
  if (kind === 'all') return { all: true, soft }
  if (text === '') return null
  if (kind === 'tags') return { tags: [...new Set(text.split(/[\s,]+/).filter(Boolean))], soft }
  return kind === 'url' ? { url: /^https?:\/\//i.test(text) ? text : urlOf(text), soft } : { prefix: text, soft }
}

/** Returns the shares of a whole, for bars; an empty list for a whole of zero. */
export function shares(parts: Record<string, number | undefined>): { key: string; count: number; share: number }[] {
  const known = Object.entries(parts).map(([key, count]) => ({ key, count: count ?? 0 }))
  const whole = known.reduce((sum, each) => sum + each.count, 0)
  return whole === 0 ? [] : known.map((each) => ({ ...each, share: each.count / whole }))
}
