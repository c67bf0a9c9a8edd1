package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.RowBinaryReader;
import dev.komainu.central.limit.RequestLimit;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The queries for single records in ClickHouse. Each sees the rows that count at its beginning, and
 * only a few run at a time. Any thread.
 */
final class ClickHouseQueries implements RecordQueries {

    /** Bytes of possible duplicates of a page's connections, in bytes of pages. */
    private static final int DUPLICATES_IN_PAGES = 4;

    /** Bytes of the smallest connection record: bounds the rows that a query may return. */
    private static final int LEAST_RECORD_BYTES = 32;

    private final ClickHouseClient client;
    private final Supplier<CommittedRows> committed;
    private final Semaphore readers;
    private final Duration patience;

    /**
     * Creates the queries.
     *
     * @param readers number of concurrent queries
     * @param patience time for which a query waits for others
     */
    ClickHouseQueries(
            ClickHouseClient client,
            Supplier<CommittedRows> committed,
            int readers,
            Duration patience) {
        this.client = client;
        this.committed = committed;
        this.readers = new Semaphore(readers, true);
        this.patience = patience;
    }

    /** Runs one query, or several that belong together. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws SQLException;
    }

    /**
     * Waits for a place among the readers, then runs.
     *
     * @throws StoreException when a query fails
     */
    <T> T run(String what, Work<T> work) {
        acquire(what);
        try {
            return work.run();
        } catch (SQLException e) {
            throw new StoreException("store: " + what + " query failed: " + e.getMessage(), e);
        } finally {
            readers.release();
        }
    }

    private void acquire(String what) {
        try {
            if (!readers.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StoreException(
                        "store: " + what + " query not begun after " + patience.toMillis()
                                + " ms: others take long",
                        null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("store: " + what + " query interrupted", e);
        }
    }

    @Override
    public StoredPage<ConnectionRecord> connections(ConnectionQuery query) {
        ClickHouseFilter filter = new ClickHouseFilter().matching(query);
        return page(
                ClickHouseTables.CONNECTIONS,
                filter,
                query.range(),
                query.after(),
                query.limit(),
                RequestLimit.PAGE_BYTES.value(),
                ConnectionRecord.class);
    }

    @Override
    public List<StoredRecord<ConnectionRecord>> candidates(Candidates of) {
        ClickHouseFilter filter = new ClickHouseFilter().matching(of);
        int bytes = DUPLICATES_IN_PAGES * RequestLimit.PAGE_BYTES.value();
        return page(
                        ClickHouseTables.CONNECTIONS,
                        filter,
                        of.range(),
                        null,
                        bytes / LEAST_RECORD_BYTES,
                        bytes,
                        ConnectionRecord.class)
                .items();
    }

    @Override
    public Set<String> connectionSources(List<String> services, TimeRange range) {
        ClickHouseFilter filter = new ClickHouseFilter()
                .counted(committed.get().condition(range))
                .anyOf("service", services)
                .within("instant", range);
        return run(
                "connections",
                () -> client.query(
                        "SELECT DISTINCT source FROM " + ClickHouseTables.CONNECTIONS + " WHERE "
                                + filter.sql(),
                        row -> {
                            Set<String> sources = new TreeSet<>();
                            while (row.next()) {
                                sources.add(row.text());
                            }
                            return sources;
                        }));
    }

    @Override
    public StoredPage<ProxyExchange> exchanges(ExchangeQuery query) {
        ClickHouseFilter filter = new ClickHouseFilter().matching(query);
        return page(
                ClickHouseTables.EXCHANGES,
                filter,
                query.range(),
                query.after(),
                query.limit(),
                RequestLimit.PAGE_BYTES.value(),
                ProxyExchange.class);
    }

    @Override
    public Optional<StoredRecord<ConnectionRecord>> connection(String key) {
        RecordPosition position = RecordPosition.parse(key);
        TimeRange range = new TimeRange(position.atMicros(), position.atMicros() + 1);
        ClickHouseFilter filter = new ClickHouseFilter().at(position);
        return page(ClickHouseTables.CONNECTIONS, filter, range, null, 1, 0, ConnectionRecord.class)
                .items()
                .stream()
                .findFirst();
    }

    /**
     * Returns a page in two queries: the first sorts positions only, because old versions would
     * read the body of every row that matches; the second reads the bodies between the page's first
     * and last instant.
     */
    private <T extends TelemetryRecord> StoredPage<T> page(
            String table,
            ClickHouseFilter filter,
            TimeRange range,
            @Nullable String after,
            int limit,
            int mostBytes,
            Class<T> type) {
        if (after != null) {
            filter.before(RecordPosition.parse(after));
        }
        filter.counted(committed.get().condition(range));
        String from = " FROM " + table + " WHERE " + filter.sql();
        String order = " ORDER BY instant DESC, key DESC LIMIT " + (limit + 1);
        return run(table, () -> {
            Optional<TimeRange> found = client.query(
                    "SELECT min(instant), max(instant), count() FROM (SELECT instant, key" + from
                            + order + ")",
                    ClickHouseQueries::bounds);
            if (found.isEmpty()) {
                return new StoredPage<>(List.of(), null);
            }
            TimeRange instants = found.get();
            String within = " AND instant >= " + instants.fromMicros() + " AND instant <= "
                    + instants.toMicros();
            return client.query(
                    "SELECT instant, key, source, body" + from + within + order,
                    rows -> page(rows, limit, mostBytes, type));
        });
    }

    private static Optional<TimeRange> bounds(RowBinaryReader row) throws IOException {
        if (!row.next()) {
            return Optional.empty();
        }
        long first = row.int64();
        long last = row.int64();
        return row.int64() == 0 ? Optional.empty() : Optional.of(new TimeRange(first, last));
    }

    private static <T extends TelemetryRecord> StoredPage<T> page(
            RowBinaryReader row, int limit, int mostBytes, Class<T> type)
            throws IOException, SQLException {
        PageCollector<T> page = new PageCollector<>(limit, mostBytes, type);
        boolean fits = true;
        while (fits && row.next()) {
            RecordPosition position = new RecordPosition(row.int64(), row.int64());
            String source = row.text();
            byte[] body = row.bytes();
            fits = decoded(() -> page.add(position, source, body));
        }
        return page.page();
    }

    /** Work on the bodies of rows. */
    @FunctionalInterface
    interface Decoding<T> {
        T run() throws SQLException, MalformedBatchException;
    }

    /** Runs the work; a stored body that cannot be read is a failure of the query. */
    static <T> T decoded(Decoding<T> work) throws SQLException {
        try {
            return work.run();
        } catch (MalformedBatchException e) {
            throw new SQLException("a stored record: " + e.getMessage(), e);
        }
    }

    @Override
    public <T extends TelemetryRecord> List<T> facts(
            int kind, @Nullable String subject, TimeRange range, Class<T> type) {
        List<T> facts = new ArrayList<>();
        facts(kind, subject, range, type, facts::add);
        return facts;
    }

    /** Passes records on while the server sends them; it sorts them through its disk. */
    <T extends TelemetryRecord> void facts(
            int kind,
            @Nullable String subject,
            TimeRange range,
            Class<T> type,
            Consumer<? super T> consumer) {
        ClickHouseFilter filter = new ClickHouseFilter()
                .counted(committed.get().condition(range))
                .facts(kind, subject, range);
        run(
                "facts",
                () -> client.query(
                        "SELECT body FROM " + ClickHouseTables.FACTS + " WHERE " + filter.sql()
                                + " ORDER BY instant, key",
                        row -> {
                            while (row.next()) {
                                byte[] body = row.bytes();
                                decoded(() -> PageCollector.decode(body, type)).ifPresent(consumer);
                            }
                            return range;
                        }));
    }
}
