// What the backups page derives from the service's answer.
import type { BackupRun } from '../../api/types'

/** Share of the run that is written, 0 to 1; null before its size is known. */
export function share(run: Pick<BackupRun, 'bytes' | 'expectedBytes'>): number | null {
  return run.expectedBytes > 0 ? Math.min(1, run.bytes / run.expectedBytes) : null
}

/** Age in days from which the page says that the newest backup is old. */
const OLD_DAYS = 7

/** Reports whether the newest complete backup is old, or there is none. */
export function isOld(newest: string | null | undefined, now: number): boolean {
  return !newest || now - Date.parse(newest) > OLD_DAYS * 86_400_000
}
