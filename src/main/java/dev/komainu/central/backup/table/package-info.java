/**
 * Tables of the control data as files that no database engine owns: JSON lines, one a row.
 *
 * <p>In: a database with the tables of this service. Out: the rows of all tables as of one instant,
 * with a count and a sum for each table; and the way back, into a database with the same tables.
 * Values have one form for H2 and PostgreSQL, so that sums of both can be compared. Thread: the
 * caller's.
 *
 * <p>Start at {@link dev.komainu.central.backup.table.ControlData}. Format: docs/formats/backup.md.
 * Decision: docs/decisions/0119-backups.md
 */
@NullMarked
package dev.komainu.central.backup.table;

import org.jspecify.annotations.NullMarked;
