// What the page of stored days derives from the service's answer.
import type { TelemetryDays, TelemetryForm } from '../../api/types'

type Name = 'raw' | 'minutes' | 'hours'

/** A form with its name and the key of its text. */
export interface NamedForm extends TelemetryForm {
  name: Name
  text: Name | 'tens'
}

/**
 * Returns the forms in which telemetry is kept, finest first. On a server there are sums of ten seconds in the place of minutes, and hours
 * are not kept apart.
 */
export function formsOf(days: Pick<TelemetryDays, Name>, onServer: boolean): NamedForm[] {
  const names: Name[] = onServer ? ['raw', 'minutes'] : ['raw', 'minutes', 'hours']
  return names.map((name) => ({ name, text: onServer && name === 'minutes' ? 'tens' : name, ...days[name] }))
}

/** Returns the path of an export, below the address of the console. */
export function exportPath(day: string, kind: string): string {
  return `/api/v1/telemetry/days/${encodeURIComponent(day)}/${encodeURIComponent(kind)}.parquet`
}
