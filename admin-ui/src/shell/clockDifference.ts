// The difference between the clocks of the service and of the browser.

/** Difference above which codes are refused: a code is accepted one step of 30 s earlier or later. */
const TOLERATED_SECONDS = 30

/** Returns the seconds by which the service's clock is ahead of the browser's; 0 when codes are accepted in spite of them. */
export function clockDifference(service: string, browserMillis: number): number {
  const seconds = Math.round((Date.parse(service) - browserMillis) / 1000)
  return Math.abs(seconds) > TOLERATED_SECONDS ? seconds : 0
}
