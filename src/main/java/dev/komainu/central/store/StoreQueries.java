package dev.komainu.central.store;

import dev.komainu.central.limit.RequestLimit;
import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * The queries of the store. Each runs on a connection of its own, and only a few run at a time. Any
 * thread.
 */
final class StoreQueries implements RecordQueries {

    private final DayFiles files;
    private final RollUpFiles rollUps;
    private final RollUpProgress progress;
    private final Semaphore readers;

    StoreQueries(DayFiles files, RollUpFiles rollUps, RollUpProgress progress, int readers) {
        this.files = files;
        this.rollUps = rollUps;
        this.progress = progress;
        this.readers = new Semaphore(readers, true);
    }

    private static final int EVERYTHING = 5_000_000;

    /** Stands for the covered time of a raw window, which covers all of its length. */
    private static final long RAW = -1;

    /** Bytes of possible duplicates of a page's connections, in bytes of pages. */
    private static final int DUPLICATES_IN_PAGES = 4;

    /** Length of the steps by which facts are counted before they are read. */
    private static final long COUNTED_MICROS = 600_000_000;

    /** Bytes of records that are read and sorted at once. */
    private static final long PART_BYTES = 8 << 20;

    /** A query that runs on a database connection. */
    @FunctionalInterface
    private interface Query<T> {
        T run(DuckDBConnection connection) throws SQLException, MalformedBatchException;
    }

    private <T> T run(String what, Query<T> query) {
        Lock lock = files.use().readLock();
        readers.acquireUninterruptibly();
        lock.lock();
        try (DuckDBConnection connection = files.connect()) {
            return query.run(connection);
        } catch (SQLException | MalformedBatchException e) {
            throw new StoreException("store: " + what + " query failed: " + e.getMessage(), e);
        } finally {
            lock.unlock();
            readers.release();
        }
    }

    @Override
    public StoredPage<ConnectionRecord> connections(ConnectionQuery query) {
        SqlFilter filter = new SqlFilter().matching(query);
        return page(
                "connections",
                filter,
                query.range(),
                query.after(),
                query.limit(),
                RequestLimit.PAGE_BYTES.value(),
                ConnectionRecord.class);
    }

    @Override
    public List<StoredRecord<ConnectionRecord>> candidates(Candidates of) {
        SqlFilter filter = new SqlFilter().matching(of);
        int bytes = DUPLICATES_IN_PAGES * RequestLimit.PAGE_BYTES.value();
        return page(
                        "connections",
                        filter,
                        of.range(),
                        null,
                        EVERYTHING,
                        bytes,
                        ConnectionRecord.class)
                .items();
    }

    @Override
    public Set<String> connectionSources(List<String> services, TimeRange range) {
        SqlFilter filter = new SqlFilter().anyOf("service", services).within("instant", range);
        return run("connections", connection -> {
            Set<String> sources = new TreeSet<>();
            List<DayFile> in = files.overlapping(range);
            if (!in.isEmpty()) {
                try (PreparedStatement statement = connection.prepareStatement(
                        union(in, "DISTINCT source", "connections", filter))) {
                    filter.bind(statement, in.size());
                    try (ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            sources.add(row.getString(1));
                        }
                    }
                }
            }
            return sources;
        });
    }

    @Override
    public StoredPage<ProxyExchange> exchanges(ExchangeQuery query) {
        SqlFilter filter = new SqlFilter().matching(query);
        return page(
                "exchanges",
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
        SqlFilter filter = new SqlFilter().at(position);
        TimeRange range = new TimeRange(position.atMicros(), position.atMicros() + 1);
        return page("connections", filter, range, null, 1, 0, ConnectionRecord.class)
                .items()
                .stream()
                .findFirst();
    }

    private <T extends TelemetryRecord> StoredPage<T> page(
            String table,
            SqlFilter filter,
            TimeRange range,
            @Nullable String after,
            int limit,
            int mostBytes,
            Class<T> type) {
        if (after != null) {
            filter.before(RecordPosition.parse(after));
        }
        return run(table, connection -> {
            List<DayFile> in = files.overlapping(range);
            PageCollector<T> page = new PageCollector<>(limit, mostBytes, type);
            if (!in.isEmpty()) {
                String sql = union(in, "instant, key, source, body", table, filter)
                        + " ORDER BY instant DESC, key DESC LIMIT " + (limit + 1);
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    filter.bind(statement, in.size());
                    try (ResultSet row = statement.executeQuery()) {
                        boolean fits = true;
                        while (fits && row.next()) {
                            fits = page.add(
                                    new RecordPosition(row.getLong(1), row.getLong(2)),
                                    row.getString(3),
                                    row.getBytes(4));
                        }
                    }
                }
            }
            return page.page();
        });
    }

    private static String union(List<DayFile> in, String columns, String table, SqlFilter filter) {
        return in.stream()
                .map(file -> "SELECT " + columns + " FROM " + file.name() + "." + table + " WHERE "
                        + filter.sql())
                .collect(Collectors.joining(" UNION ALL "));
    }

    @Override
    public <T extends TelemetryRecord> List<T> facts(
            int kind, @Nullable String subject, TimeRange range, Class<T> type) {
        List<T> facts = new ArrayList<>();
        run("facts", connection -> {
            facts(connection, kind, subject, range, type, facts::add);
            return facts;
        });
        return facts;
    }

    /** Passes large records on, part by part. Between the parts, others may read and write. */
    <T extends TelemetryRecord> void largeFacts(
            int kind,
            @Nullable String subject,
            TimeRange range,
            Class<T> type,
            Consumer<? super T> consumer) {
        List<TimeRange> parts = run("facts", connection -> parts(connection, kind, subject, range));
        for (TimeRange part : parts) {
            run("facts", connection -> {
                facts(connection, kind, subject, part, type, consumer);
                return part;
            });
        }
    }

    private <T extends TelemetryRecord> void facts(
            DuckDBConnection connection,
            int kind,
            @Nullable String subject,
            TimeRange range,
            Class<T> type,
            Consumer<? super T> consumer)
            throws SQLException, MalformedBatchException {
        List<DayFile> in = files.overlapping(range);
        if (in.isEmpty()) {
            return;
        }
        SqlFilter filter = new SqlFilter().facts(kind, subject, range);
        String sql = union(in, "instant, key, body", "facts", filter) + " ORDER BY instant, key";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            filter.bind(statement, in.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    PageCollector.decode(row.getBytes(3), type).ifPresent(consumer);
                }
            }
        }
    }

    /**
     * Divides a range into parts with at most {@value #PART_BYTES} bytes of records, as far as
     * {@value #COUNTED_MICROS} µs have no more. DuckDB sorts a result in its memory, and an hour of
     * samples of a host with many servers has a hundred megabytes: it would leave no memory for a
     * checkpoint.
     */
    private List<TimeRange> parts(
            DuckDBConnection connection, int kind, @Nullable String subject, TimeRange range)
            throws SQLException {
        List<TimeRange> parts = new ArrayList<>();
        List<DayFile> in = files.overlapping(range);
        if (in.isEmpty()) {
            return parts;
        }
        SqlFilter filter = new SqlFilter().facts(kind, subject, range);
        String sql = "SELECT min(instant), sum(size) FROM ("
                + union(in, "instant, octet_length(body) AS size", "facts", filter)
                + ") GROUP BY instant // " + COUNTED_MICROS + " ORDER BY 1";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            filter.bind(statement, in.size());
            try (ResultSet row = statement.executeQuery()) {
                long from = range.fromMicros();
                long bytes = 0;
                while (row.next()) {
                    long first = row.getLong(1);
                    long size = row.getLong(2);
                    if (bytes > 0 && bytes + size > PART_BYTES) {
                        parts.add(new TimeRange(from, first));
                        from = first;
                        bytes = 0;
                    }
                    bytes += size;
                }
                parts.add(new TimeRange(from, range.toMicros()));
            }
        }
        return parts;
    }

    <W extends TelemetryRecord> List<WindowStep<W>> steps(
            int kind,
            Summation<W> summation,
            RollUps<W> open,
            List<String> services,
            TimeRange requested,
            Duration step) {
        if (services.isEmpty()) {
            return List.of();
        }
        if (StepCollector.micros(step) < StepCollector.SLOT_MICROS) {
            StepCollector<W> steps = collector(
                    summation, services, step, SlotGrid.of(StepCollector.SLOT_MICROS), kind);
            TimeRange range = requested.widened(StepCollector.SLOT_MICROS);
            SqlFilter filter = new SqlFilter().windows(kind, services, requested);
            return run("windows", connection -> {
                List<String> tables = files.overlapping(range).stream()
                        .map(file -> file.name() + ".windows")
                        .toList();
                read(connection, tables, RAW + "", filter, summation, List.of(), steps);
                return steps.finish();
            });
        }
        return run("windows", connection -> {
            progress.lock().readLock().lock();
            try {
                StepSources sources = sources(requested, step);
                TimeRange range = sources.grid().widened(requested);
                StepCollector<W> steps = collector(summation, services, step, sources.grid(), kind);
                for (TimeRange part : sources.parts(range)) {
                    List<RollUps.Piece<W>> pieces =
                            RollUpProgress.pieces(open, summation, services, part);
                    SqlFilter filter = new SqlFilter().windows(kind, services, part);
                    read(
                            connection,
                            sources.tables(part),
                            "covered",
                            filter,
                            summation,
                            pieces,
                            steps);
                }
                return steps.finish();
            } finally {
                progress.lock().readLock().unlock();
            }
        });
    }

    private StepSources sources(TimeRange range, Duration step) {
        return StepSources.of(files.all(), rollUps.all(), range, StepCollector.micros(step));
    }

    /** Returns the step in which a range can be shown; see {@link RecordStore#fittingStep}. */
    Duration fittingStep(TimeRange range, Duration wished) {
        Lock lock = files.use().readLock();
        lock.lock();
        try {
            return StepSources.fittingStep(files.all(), rollUps.all(), range, wished);
        } finally {
            lock.unlock();
        }
    }

    private <W extends TelemetryRecord> StepCollector<W> collector(
            Summation<W> summation, List<String> services, Duration step, SlotGrid grid, int kind) {
        return new StepCollector<>(
                summation,
                step,
                services.getFirst(),
                grid,
                within -> raw(kind, summation, services, within));
    }

    /**
     * Returns the raw windows of a short range, on a connection of its own; the caller already has
     * a place among the readers.
     */
    private <W extends TelemetryRecord> List<StepCollector.SourceWindow<W>> raw(
            int kind, Summation<W> summation, List<String> services, TimeRange range)
            throws SQLException, MalformedBatchException {
        List<StepCollector.SourceWindow<W>> windows = new ArrayList<>();
        SqlFilter filter = new SqlFilter().windows(kind, services, range);
        List<DayFile> in = files.overlapping(range);
        if (in.isEmpty()) {
            return windows;
        }
        String sql = union(in, "source, body", "windows", filter);
        try (DuckDBConnection connection = files.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            filter.bind(statement, in.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    W window = RecordCodec.decode(row.getBytes(2))
                            .map(summation::windowOf)
                            .orElse(null);
                    if (window != null) {
                        windows.add(new StepCollector.SourceWindow<>(row.getString(1), window));
                    }
                }
            }
        }
        return windows;
    }

    /** Reads stored windows in order of time and merges the pieces that are still in memory. */
    private <W extends TelemetryRecord> void read(
            DuckDBConnection connection,
            List<String> tables,
            String covered,
            SqlFilter filter,
            Summation<W> summation,
            List<RollUps.Piece<W>> pieces,
            StepCollector<W> steps)
            throws SQLException, MalformedBatchException {
        Iterator<RollUps.Piece<W>> remaining = pieces.iterator();
        RollUps.Piece<W> piece = remaining.hasNext() ? remaining.next() : null;
        if (!tables.isEmpty()) {
            String sql = tables.stream()
                    .map(table -> "SELECT instant, " + covered + " AS covered, source, body FROM "
                            + table + " WHERE " + filter.sql())
                    .collect(Collectors.joining(" UNION ALL ", "", " ORDER BY instant"));
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                filter.bind(statement, tables.size());
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        while (piece != null
                                && summation.fromMicros(piece.part().window()) < row.getLong(1)) {
                            steps.add(piece.source(), piece.part());
                            piece = remaining.hasNext() ? remaining.next() : null;
                        }
                        W window = RecordCodec.decode(row.getBytes(4))
                                .map(summation::windowOf)
                                .orElse(null);
                        if (window != null) {
                            long coveredMicros = row.getLong(2) == RAW
                                    ? summation.lengthMicros(window)
                                    : row.getLong(2);
                            steps.add(row.getString(3), new Part<>(window, coveredMicros));
                        }
                    }
                }
            }
        }
        while (piece != null) {
            steps.add(piece.source(), piece.part());
            piece = remaining.hasNext() ? remaining.next() : null;
        }
    }
}
