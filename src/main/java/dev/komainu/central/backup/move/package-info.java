/**
 * The command {@code ./komainu move}: the control data of a stopped service, from its H2 file into
 * a PostgreSQL database; and its stored days, from files into ClickHouse and back.
 *
 * <p>In: a data directory, and the address of a database. Out: the same rows there, compared by
 * number and sum of each table. The file is only read. A move that was broken off leaves the
 * database without rows, and can be repeated. One thread.
 *
 * <p>Start at {@link dev.komainu.central.backup.move.ControlMove}. Decision:
 * docs/decisions/0120-move-of-control-data.md. Days: {@link dev.komainu.central.store.DayMove},
 * docs/decisions/0128-move-of-days.md
 */
@NullMarked
package dev.komainu.central.backup.move;

import org.jspecify.annotations.NullMarked;
