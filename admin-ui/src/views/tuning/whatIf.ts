// The assumptions of the what-if panel in the format of the central service, and the range of a threshold's slider.
export interface Suppositions {
  thresholds: { node: string; measurement: string; threshold: number }[]
  answers: Record<string, 'yes' | 'no'>
}

export const NOTHING: Suppositions = { thresholds: [], answers: {} }

export function isSupposed(supposed: Suppositions): boolean {
  return supposed.thresholds.length > 0 || Object.keys(supposed.answers).length > 0
}

export function thresholdOf(supposed: Suppositions, node: string, measurement: string): number | undefined {
  return supposed.thresholds.find((each) => each.node === node && each.measurement === measurement)?.threshold
}

/** Returns the end of the slider: 1 for a share, otherwise twice the larger of threshold and value, so that both are inside. */
export function ends(threshold: number, value: number | null | undefined, unit: string | null | undefined): [number, number] {
  if (unit === 'share') return [0, 1]
  return [0, 2 * Math.max(threshold, value ?? 0, 1)]
}
