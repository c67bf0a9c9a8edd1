package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The queries for windows in ClickHouse, summed to steps. A step of ten seconds or more reads the
 * roll-ups and adds what is not rolled up yet. Any thread.
 */
final class ClickHouseWindows {

    private final ClickHouseClient client;
    private final ClickHouseQueries queries;
    private final RollUpProgress progress;
    private final Supplier<CommittedRows> committed;

    ClickHouseWindows(
            ClickHouseClient client,
            ClickHouseQueries queries,
            RollUpProgress progress,
            Supplier<CommittedRows> committed) {
        this.client = client;
        this.queries = queries;
        this.progress = progress;
        this.committed = committed;
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
        StepCollector<W> steps = new StepCollector<>(
                summation,
                step,
                services.getFirst(),
                SlotGrid.of(StepCollector.SLOT_MICROS),
                within -> raw(kind, summation, services, within));
        if (StepCollector.micros(step) < StepCollector.SLOT_MICROS) {
            String sql = select(
                    ClickHouseTables.WINDOWS,
                    "toInt64(0)",
                    committed.get().condition(requested.widened(StepCollector.SLOT_MICROS)),
                    kind,
                    services,
                    requested);
            return queries.run("windows", () -> {
                read(sql, false, summation, List.of(), steps);
                return ClickHouseQueries.decoded(steps::finish);
            });
        }
        TimeRange range = requested.widened(StepCollector.SLOT_MICROS);
        return queries.run("windows", () -> {
            List<RollUps.Piece<W>> pieces;
            String sql;
            // What is open and what is rolled up, as of one instant.
            progress.lock().readLock().lock();
            try {
                pieces = RollUpProgress.pieces(open, summation, services, range);
                sql = select(
                        ClickHouseTables.ROLL_UPS,
                        "covered",
                        committed.get().rollUpCondition(range),
                        kind,
                        services,
                        range);
            } finally {
                progress.lock().readLock().unlock();
            }
            read(sql, true, summation, pieces, steps);
            return ClickHouseQueries.decoded(steps::finish);
        });
    }

    private static String select(
            String table,
            String covered,
            String counted,
            int kind,
            List<String> services,
            TimeRange range) {
        ClickHouseFilter filter =
                new ClickHouseFilter().counted(counted).windows(kind, services, range);
        return "SELECT instant, " + covered + ", source, body FROM " + table + " WHERE "
                + filter.sql() + " ORDER BY instant, key";
    }

    /**
     * Returns the raw windows of a short range; the caller already has a place among the readers.
     */
    private <W extends TelemetryRecord> List<StepCollector.SourceWindow<W>> raw(
            int kind, Summation<W> summation, List<String> services, TimeRange range)
            throws SQLException {
        String sql = select(
                ClickHouseTables.WINDOWS,
                "toInt64(0)",
                committed.get().condition(range),
                kind,
                services,
                range);
        return client.query(sql, row -> {
            List<StepCollector.SourceWindow<W>> windows = new ArrayList<>();
            while (row.next()) {
                row.int64();
                row.int64();
                String source = row.text();
                W window = windowOf(row.bytes(), summation);
                if (window != null) {
                    windows.add(new StepCollector.SourceWindow<>(source, window));
                }
            }
            return windows;
        });
    }

    private static <W extends TelemetryRecord> @Nullable W windowOf(
            byte[] body, Summation<W> summation) throws SQLException {
        return ClickHouseQueries.decoded(() -> RecordCodec.decode(body).map(summation::windowOf))
                .orElse(null);
    }

    /** Reads stored windows in order of time and merges the pieces that are still in memory. */
    private <W extends TelemetryRecord> void read(
            String sql,
            boolean areRolledUp,
            Summation<W> summation,
            List<RollUps.Piece<W>> pieces,
            StepCollector<W> steps)
            throws SQLException {
        Deque<RollUps.Piece<W>> remaining = new ArrayDeque<>(pieces);
        client.query(sql, row -> {
            while (row.next()) {
                long instant = row.int64();
                long covered = row.int64();
                String source = row.text();
                W window = windowOf(row.bytes(), summation);
                addBefore(instant, remaining, summation, steps);
                if (window != null) {
                    long time = areRolledUp ? covered : summation.lengthMicros(window);
                    add(steps, source, new Part<>(window, time));
                }
            }
            return steps;
        });
        addBefore(Long.MAX_VALUE, remaining, summation, steps);
    }

    private static <W extends TelemetryRecord> void addBefore(
            long instant,
            Deque<RollUps.Piece<W>> remaining,
            Summation<W> summation,
            StepCollector<W> steps)
            throws SQLException {
        for (RollUps.Piece<W> piece = remaining.peek();
                piece != null && summation.fromMicros(piece.part().window()) < instant;
                piece = remaining.peek()) {
            add(steps, piece.source(), piece.part());
            remaining.remove();
        }
    }

    private static <W extends TelemetryRecord> void add(
            StepCollector<W> steps, String source, Part<W> part) throws SQLException {
        var unused = ClickHouseQueries.decoded(() -> {
            steps.add(source, part);
            return steps;
        });
    }
}
