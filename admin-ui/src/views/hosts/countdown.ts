// The time that a code still works, by the clock of the central service.

/** A Date field names the second in which the response began; its middle is the best guess. */
const HALF_A_SECOND = 500

/** Returns how many milliseconds the service's clock is ahead of the browser's, by the Date field of a response received now; 0 without one. */
export function clockOffset(date: string | null, now: number): number {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? 0 : at + HALF_A_SECOND - now
}

/** Returns the seconds until an instant of the service's clock, rounded up; negative after it. */
export function secondsLeft(expires: string, offset: number, now: number): number {
  return Math.ceil((Date.parse(expires) - (now + offset)) / 1000)
}

/** Formats seconds as minutes and seconds: "9:41". */
export function countdown(seconds: number): string {
  const whole = Math.max(0, seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
