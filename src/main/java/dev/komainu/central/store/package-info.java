/**
 * The telemetry store. Ingest writes here, all packages above read here.
 *
 * <p>In: batches. Each is stored as a whole or not at all, and only once even when it is sent
 * again. Out: connections and proxy exchanges newest first, windows summed to a step, host samples.
 * Control data (users, tokens, services, findings) is not stored here.
 *
 * <p>{@code DuckStore} keeps one DuckDB file for each UTC day of arrival, because deleting rows
 * does not shrink a file but deleting files frees its space. Each record is stored as its wire
 * message ({@code RecordCodec}) beside the few columns that queries filter by; so a new field needs
 * no migration. Windows are stored raw (one second) and rolled up (ten seconds), so that long
 * ranges never read raw rows.
 *
 * <p>{@code ClickHouseStore} keeps the same rows on a ClickHouse server, in a partition for each
 * day. There, a row counts by the ordinal of its commit ({@code ClickHouseTables},
 * {@code ClickHouseEngine}).
 *
 * <p>Threads: one writer, which groups waiting batches into one commit; readers on connections of
 * their own, a few at a time. Start at {@link dev.komainu.central.store.RecordStore}.
 *
 * <p>Decision: docs/decisions/0004-telemetry-store.md, 0123-records-on-clickhouse.md
 */
@NullMarked
package dev.komainu.central.store;

import org.jspecify.annotations.NullMarked;
