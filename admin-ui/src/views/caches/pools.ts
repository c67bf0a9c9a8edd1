// What the pools' bar shows. Pure.
import type { CachePools } from '../../api/types'

export interface PoolPart {
  part: 'protectedReferenced' | 'protectedUnreferenced' | 'normalReferenced' | 'normalUnreferenced' | 'free'
  bytes: number
  from: number
  share: number
}

/** The whole from left to right: the protected pool, the normal one, what neither has. Shares of the larger of whole and used. */
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

/** Where S_target lies on that bar, 0 to 1; null where nothing moves it. */
export function targetAt(pools: CachePools): number | null {
  if (pools.mode === 'single') return null
  const whole = Math.max(pools.wholeBytes, pools.protected.bytes + pools.normal.bytes, 1)
  return Math.min(1, pools.targetBytes / whole)
}

/** Answers from memory of all look-ups; null before the first. */
export function hitShare(pool: CachePools['normal']): number | null {
  const asked = pool.hits + pool.misses
  return asked > 0 ? pool.hits / asked : null
}

/** Prefixes as they are typed: one a line, empty lines left out. */
export function prefixes(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
