// Where a cache's cap goes. Pure.
export type MemoryPart = 'bodies' | 'heap' | 'moving' | 'free'

export interface PartOfMemory {
  part: MemoryPart
  bytes: number
  /** Where it begins and how long it is, of the cap. */
  from: number
  share: number
}

/** The parts in the order they are drawn; none when the proxy does not tell them. What is above the cap is drawn to its end. */
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
