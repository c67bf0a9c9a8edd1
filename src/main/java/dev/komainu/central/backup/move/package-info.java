/**
 * The command {@code ./komainu move}: the control data of a stopped service, from its H2 file into
 * a PostgreSQL database.
 *
 * <p>In: a data directory, and the address of a database. Out: the same rows there, compared by
 * number and sum of each table. The file is only read. A move that was broken off leaves the
 * database without rows, and can be repeated. One thread.
 *
 * <p>Start at {@link dev.komainu.central.backup.move.ControlMove}. Decision:
 * docs/decisions/0120-move-of-control-data.md
 */
@NullMarked
package dev.komainu.central.backup.move;

import org.jspecify.annotations.NullMarked;
