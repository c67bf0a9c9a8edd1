// The values of the pools' bar. Pure functions.
import type { CachePools } from '../../api/types'

export interface PoolPart {
  part: 'protectedReferenced' | 'protectedUnreferenced' | 'normalReferenced' | 'normalUnreferenced' | 'free'
  bytes: number
  from: number
  share: number
}

/** Returns the parts from left to right: protected pool, normal pool, free memory. They are shares of the larger of whole and used. */
export function poolParts(pools: CachePools): PoolPart[] {
  const of = (pool: CachePools['normal']) => Math.min(pool.unreferencedBytes, pool.bytes)
  const used = pools.protected.bytes + pools.normal.bytes
  const whole = Math.max(pools.wholeBytes, used, 1)
  const bytes: [PoolPart['part'], number][] = [
    ['protectedReferenced', pools.protected.bytes - of(pools.protected)],
    ['protectedUnreferenced', of(pools.protected)],
    ['normalReferenced', pools.normal.bytes - of(pools.normal)],
    ['normalUnreferenced', of(pools.normal)],
    ['free', Math.max(0, pools.wholeBytes - used)],
  ]
  let from = 0
  return bytes.map(([part, count]) => {
    const made = { part, bytes: count, from, share: count / whole }
    from += made.share
    return made
  })
}

/** Returns the position of S_target on the bar, 0 to 1; null if the boundary does not move. */
export function targetAt(pools: CachePools): number | null {
  if (pools.mode === 'single') return null
  const whole = Math.max(pools.wholeBytes, pools.protected.bytes + pools.normal.bytes, 1)
  return Math.min(1, pools.targetBytes / whole)
}

/** Returns the share of lookups served from memory; null before the first lookup. */
export function hitShare(pool: CachePools['normal']): number | null {
  const asked = pool.hits + pool.misses
  return asked > 0 ? pool.hits / asked : null
}

/** Returns the typed prefixes: one per line, without empty lines. */
export function prefixes(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
