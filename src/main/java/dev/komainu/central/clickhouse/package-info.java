/**
 * The client of a ClickHouse server: statements over its HTTP interface, rows in its binary format
 * {@code RowBinary}, and the settings {@code komainu.records.*}.
 *
 * <p>In: SQL that ClickHouse 18.16 and newer versions both know. Out: rows, or a
 * {@link dev.komainu.central.clickhouse.ClickHouseException} that says whether the server may have
 * carried out the statement. What the tables are and when a row counts is the store's part.
 *
 * <p>Threads: any; each call blocks until its response. Start at
 * {@link dev.komainu.central.clickhouse.ClickHouseClient}.
 *
 * <p>Decision: docs/decisions/0123-records-on-clickhouse.md
 */
@NullMarked
package dev.komainu.central.clickhouse;

import org.jspecify.annotations.NullMarked;
