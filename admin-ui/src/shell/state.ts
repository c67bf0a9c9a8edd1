// Families of states with their colours and marks. The locales contain the names; colour is never the only sign.
import type { State } from '../api/types'

export type Family = 'normal' | 'saturated' | 'stopped' | 'fault' | 'unknown'

export function familyOf(state: State): Family {
  if (state.startsWith('saturated')) return 'saturated'
  if (state.startsWith('stopped')) return 'stopped'
  if (state === 'normal') return 'normal'
  return state === 'unknown' ? 'unknown' : 'fault'
}

/** Returns the locale key of a state: "saturated/cpu" → "state.saturated.cpu". */
export function stateKey(state: State): string {
  return `state.${state.replace('/', '.')}`
}

export const MARKS: Record<Family, string> = { normal: '●', saturated: '▲', stopped: '■', fault: '◆', unknown: '○' }

export const TONES = { normal: 'ok', saturated: 'warn', stopped: 'bad', fault: 'fault', unknown: 'dim' } as const satisfies Record<Family, string>
