package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.util.unit.DataSize;

/**
 * The store that a move fills. Its clock is the arrival of what is written, so each batch gets to
 * its own day. One thread.
 */
final class MoveTarget implements AutoCloseable {

    /** Runs and ranges of names that are remembered: a move may repeat any of them. */
    static final int MOST_NAMES = 1 << 20;

    /** Windows that wait for their sums of ten seconds. */
    private static final int OPEN_WINDOWS = 20_000;

    /** Nothing is deleted while days are moved: the service that uses the store does that. */
    private static final int KEPT_DAYS = 3650;

    private final ArrivalClock clock;
    private final KnownBatches known;
    private final RollUpProgress progress;
    private final StoreEngine engine;
    private final StoredBatches batches;
    private final AutoCloseable files;

    private static final class ArrivalClock extends Clock {
        private Instant now;

        ArrivalClock(Instant now) {
            this.now = now;
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private MoveTarget(
            ArrivalClock clock,
            KnownBatches known,
            RollUpProgress progress,
            StoreEngine engine,
            StoredBatches batches,
            AutoCloseable files) {
        this.clock = clock;
        this.known = known;
        this.progress = progress;
        this.engine = engine;
        this.batches = batches;
        this.files = files;
    }

    private static StoreSettings keeping(StoreSettings settings) {
        return settings.withRetention(KEPT_DAYS, DataSize.ofBytes(Long.MAX_VALUE));
    }

    /**
     * Opens day files.
     *
     * @param first the oldest day that comes
     * @throws StoreException when the directory cannot be used
     */
    static MoveTarget ofDuck(StoreSettings settings, LocalDate first) {
        ArrivalClock clock = new ArrivalClock(start(first));
        KnownBatches known = new KnownBatches(MOST_NAMES, MOST_NAMES);
        RollUpProgress progress = new RollUpProgress();
        StoreSettings kept = keeping(settings);
        DayFiles files = new DayFiles(kept);
        try {
            RollUpFiles rollUps = new RollUpFiles(kept.directory(), files);
            DuckEngine engine = new DuckEngine(kept, clock, files, rollUps, progress, known);
            return new MoveTarget(clock, known, progress, engine, DuckBatches.of(files), files);
        } catch (SQLException | StoreException e) {
            files.close();
            throw new StoreException(
                    "store: " + kept.directory() + " cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Opens a ClickHouse database, and takes it over from a service that uses it.
     *
     * @param first the oldest day that comes
     * @throws StoreException when the server cannot be used
     */
    static MoveTarget ofClickHouse(
            StoreSettings settings, ClickHouseSettings server, LocalDate first) {
        ArrivalClock clock = new ArrivalClock(start(first));
        KnownBatches known = new KnownBatches(MOST_NAMES, MOST_NAMES);
        RollUpProgress progress = new RollUpProgress();
        try {
            ClickHouseClient client =
                    new ClickHouseClient(server, settings.threads(), Clock.systemUTC());
            try {
                ClickHouseCluster cluster = new ClickHouseCluster(client, server);
                new ClickHouseTables(client, cluster).create();
                ClickHouseRecall.Recalled recalled =
                        new ClickHouseRecall(client, cluster, progress, known).read(first);
                ClickHouseDays days = new ClickHouseDays(
                        client, cluster, keeping(settings), KEPT_DAYS, clock, () -> null);
                ClickHouseEngine engine = new ClickHouseEngine(
                        clock, client, cluster, progress, known, days, recalled);
                return new MoveTarget(
                        clock, known, progress, engine, new ClickHouseBatches(client), () -> {});
            } catch (SQLException | RuntimeException e) {
                client.close();
                throw e;
            }
        } catch (SQLException | IOException e) {
            throw new StoreException(
                    "store: " + server.address() + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    boolean contains(BatchId id) {
        return known.contains(id);
    }

    StoredBatches batches() {
        return batches;
    }

    /**
     * Commits batches of one day.
     *
     * @param received instant of arrival of the last one
     */
    void write(LocalDate day, List<Batch> some, Instant received) throws SQLException {
        boolean isOfDay = LocalDate.ofInstant(received, ZoneOffset.UTC).equals(day);
        clock.now = isOfDay ? received : start(day);
        try {
            engine.write(some);
        } catch (SQLException e) {
            if (!engine.recover(e)) {
                throw e;
            }
            engine.write(
                    some.stream().filter(each -> !known.contains(each.id())).toList());
        }
        if (progress.size() >= OPEN_WINDOWS) {
            engine.rollUp();
        }
    }

    /** Writes the sums of ten seconds that are open, while the clock is still in their day. */
    void rollUp() throws SQLException {
        engine.rollUp();
    }

    @Override
    public void close() throws SQLException {
        try {
            batches.close();
            engine.close();
            files.close();
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException(e);
        }
    }
}
