/**
 * The routes of backups, for administrators.
 *
 * <p>In: HTTP requests. Out: JSON of {@code docs/api/openapi.yaml}. Request threads. Start at
 * {@code BackupController}.
 */
@NullMarked
package dev.komainu.central.api.backup;

import org.jspecify.annotations.NullMarked;
