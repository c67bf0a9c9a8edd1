/**
 * Backups of the whole installation, and the copies that mend the control data's H2 file.
 *
 * <p>In: the control data (by {@code table}), the day files of the store, keys, authority and
 * settings. Out: a directory with these as files, their hashes and their numbers of rows; and back
 * into an empty data directory. A backup can be encrypted, is written while the service works, and
 * goes on after it was broken off.
 *
 * <p>Threads: one for the backup under way, one for requests by files, one for the copies of H2.
 *
 * <p>Start at {@link dev.komainu.central.backup.Backups}; the order that makes a backup consistent
 * is in {@code BackupWork}. Format: docs/formats/backup.md. Decision:
 * docs/decisions/0119-backups.md
 */
@NullMarked
package dev.komainu.central.backup;

import org.jspecify.annotations.NullMarked;
