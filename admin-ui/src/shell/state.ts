// States by family: what colours and marks them. The words come from the locales, never from colour alone.
import type { State } from '../api/types'

export type Family = 'normal' | 'saturated' | 'stopped' | 'fault' | 'unknown'

export function familyOf(state: State): Family {
  if (state.startsWith('saturated')) return 'saturated'
  if (state.startsWith('stopped')) return 'stopped'
  if (state === 'normal') return 'normal'
  return state === 'unknown' ? 'unknown' : 'fault'
}

/** Key of a state's name: "saturated/cpu" → "state.saturated.cpu". */
export function stateKey(state: State): string {
  return `state.${state.replace('/', '.')}`
}

export const MARKS: Record<Family, string> = { normal: '●', saturated: '▲', stopped: '■', fault: '◆', unknown: '○' }
