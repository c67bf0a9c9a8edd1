/** Returns a new Idempotency-Key: a double click or a lost response creates one object only. randomUUID is absent on plain HTTP pages. */
export function freshKey(): string {
  return randomHex(16)
}

export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((each) => each.toString(16).padStart(2, '0')).join('')
}
