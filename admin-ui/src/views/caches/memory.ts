// The parts of a cache's memory limit. Pure functions.
export type MemoryPart = 'bodies' | 'heap' | 'moving' | 'free'

export interface PartOfMemory {
  part: MemoryPart
  bytes: number
  /** Begin and length as shares of the limit. */
  from: number
  share: number
}

/** Returns the parts in drawing order; an empty list if the proxy does not report them. Parts above the limit are cut at its end. */
export function memoryParts(figures: Record<string, number>): PartOfMemory[] {
  const { cacheBodyBytes: bodies, cacheHeapBytes: heap, cacheMovingBytes: moving, cacheBudgetBytes: cap } = figures
  if (bodies === undefined || heap === undefined || moving === undefined || !cap) return []
  const used = bodies + heap + moving
  const whole = Math.max(cap, used)
  let from = 0
  return (Object.entries({ bodies, heap, moving, free: whole - used }) as [MemoryPart, number][]).map(([part, bytes]) => {
    const share = bytes / whole
    const found = { part, bytes, from, share }
    from += share
    return found
  })
}
