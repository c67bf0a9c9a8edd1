// What the page of stored days derives from the service's answer.
import type { TelemetryDays, TelemetryForm } from '../../api/types'

/** Returns the forms in which telemetry is kept, finest first. */
export function formsOf(days: Pick<TelemetryDays, 'raw' | 'minutes' | 'hours'>): (TelemetryForm & { name: 'raw' | 'minutes' | 'hours' })[] {
  return (['raw', 'minutes', 'hours'] as const).map((name) => ({ name, ...days[name] }))
}

/** Returns the path of an export, below the address of the console. */
export function exportPath(day: string, kind: string): string {
  return `/api/v1/telemetry/days/${encodeURIComponent(day)}/${encodeURIComponent(kind)}.parquet`
}
