package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.store.CommittedRows.Ordinals;
import dev.komainu.telemetry.record.BatchId;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The batches in ClickHouse whose names count. */
final class ClickHouseBatches extends StoredBatches {

    private static final List<String> TABLES = List.of(
            ClickHouseTables.CONNECTIONS,
            ClickHouseTables.EXCHANGES,
            ClickHouseTables.WINDOWS,
            ClickHouseTables.FACTS);

    private final ClickHouseClient client;

    /** @param client stays open, for its owner */
    ClickHouseBatches(ClickHouseClient client) {
        this.client = client;
    }

    /** Returns the condition that a name counts. What is voided may change while a store writes. */
    private String counted() throws SQLException {
        return CommittedRows.ofOrdinal(client.query(
                "SELECT first, last FROM " + ClickHouseTables.VOIDED + " ORDER BY first", row -> {
                    List<Ordinals> voided = new ArrayList<>();
                    while (row.next()) {
                        Ordinals next = new Ordinals(row.int64(), row.int64());
                        Ordinals before = voided.isEmpty() ? null : voided.getLast();
                        if (before != null && before.last() + 1 >= next.first()) {
                            voided.set(
                                    voided.size() - 1,
                                    new Ordinals(
                                            before.first(), Math.max(before.last(), next.last())));
                        } else {
                            voided.add(next);
                        }
                    }
                    return voided;
                }));
    }

    @Override
    List<LocalDate> days() throws SQLException {
        return client.query(
                "SELECT toString(day) FROM " + ClickHouseTables.BATCHES + " WHERE " + counted()
                        + " GROUP BY day ORDER BY day",
                row -> {
                    List<LocalDate> days = new ArrayList<>();
                    while (row.next()) {
                        days.add(LocalDate.parse(row.text()));
                    }
                    return days;
                });
    }

    @Override
    long count(LocalDate day) throws SQLException {
        return client.query(
                "SELECT count() FROM " + ClickHouseTables.BATCHES + " WHERE day = '" + day
                        + "' AND " + counted(),
                row -> row.next() ? row.int64() : 0);
    }

    @Override
    List<Name> names(LocalDate day, long above, int most) throws SQLException {
        return client.query(
                "SELECT source, epoch, sequence, ordinal, received, toInt64(records) FROM "
                        + ClickHouseTables.BATCHES + " WHERE day = '" + day + "' AND ordinal > "
                        + above + " AND " + counted() + " ORDER BY ordinal LIMIT " + most,
                row -> {
                    List<Name> names = new ArrayList<>();
                    while (row.next()) {
                        BatchId id = new BatchId(row.text(), row.int64(), row.int64());
                        names.add(new Name(id, row.int64(), row.int64(), (int) row.int64()));
                    }
                    return names;
                });
    }

    @Override
    void bodies(LocalDate day, long first, long last, BodySink sink) throws SQLException {
        String sql = TABLES.stream()
                .map(table -> "SELECT key, body FROM " + table + " WHERE day = '" + day
                        + "' AND key >= " + (first << Rows.KEY_BITS) + " AND key < "
                        + ((last + 1) << Rows.KEY_BITS))
                .collect(Collectors.joining(" UNION ALL "));
        var unused = client.query("SELECT key, body FROM (" + sql + ") ORDER BY key", row -> {
            while (row.next()) {
                sink.take(row.int64(), row.bytes());
            }
            return last;
        });
    }

    @Override
    public void close() {}
}
