package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.telemetry.record.Batch;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The move of stored days from day files to ClickHouse, and back. Each batch is committed under its
 * name, on the day of its arrival; a name that is there already is left out. So a move that is
 * killed is repeated, and adds what is missing. Afterwards both sides are read and compared, day by
 * day. The source is only read. One thread.
 *
 * <p>Sums of ten seconds come from the moved windows. Sums of days whose records were deleted are
 * not moved.
 */
public final class DayMove {

    /** Records of one commit, and batches: some have no record. */
    private static final int RECORDS = 20_000;

    private static final long PROGRESS_NANOS = 10_000_000_000L;

    private final StoredBatches source;
    private final Function<LocalDate, MoveTarget> open;
    private final Consumer<String> progress;
    private final AutoCloseable owned;
    private long toldNanos = System.nanoTime();

    /**
     * A day on both sides.
     *
     * @param here its batches in the source
     * @param there those of the same names in the target, read after the move
     */
    public record MovedDay(LocalDate day, BatchSum here, BatchSum there) {
        public boolean isEqual() {
            return here.equals(there);
        }
    }

    private DayMove(
            StoredBatches source,
            Function<LocalDate, MoveTarget> open,
            Consumer<String> progress,
            AutoCloseable owned) {
        this.source = source;
        this.open = open;
        this.progress = progress;
        this.owned = owned;
    }

    /**
     * Moves every day of a stopped service's files to ClickHouse.
     *
     * @param progress receives a line for each day, and some within long ones
     * @return every day, oldest first
     * @throws StoreException when one side cannot be read or written; what was moved until then
     *     stays
     */
    public static List<MovedDay> toClickHouse(
            StoreSettings files, ClickHouseSettings server, Consumer<String> progress) {
        StoredBatches source = DuckBatches.ofFiles(files);
        return new DayMove(
                        source,
                        first -> MoveTarget.ofClickHouse(files, server, first),
                        progress,
                        source)
                .run();
    }

    /**
     * Moves every day in ClickHouse to files. A service that uses the database may go on; what
     * arrives after the start of the move may be missing.
     */
    public static List<MovedDay> toFiles(
            ClickHouseSettings server, StoreSettings files, Consumer<String> progress) {
        try {
            ClickHouseClient client =
                    new ClickHouseClient(server, files.threads(), Clock.systemUTC());
            awaitReplicas(client, server);
            return new DayMove(
                            new ClickHouseBatches(client),
                            first -> MoveTarget.ofDuck(files, first),
                            progress,
                            client)
                    .run();
        } catch (IOException | SQLException e) {
            throw new StoreException("store: " + e.getMessage(), e);
        }
    }

    private static void awaitReplicas(ClickHouseClient client, ClickHouseSettings server)
            throws SQLException {
        try {
            new ClickHouseCluster(client, server).awaitReplicas(ClickHouseTables.ALL);
        } catch (SQLException e) {
            client.close();
            throw e;
        }
    }

    private List<MovedDay> run() {
        try (AutoCloseable closed = owned) {
            List<LocalDate> days = source.days();
            if (days.isEmpty()) {
                return List.of();
            }
            List<MovedDay> moved = new ArrayList<>();
            try (MoveTarget target = open.apply(days.getFirst())) {
                for (LocalDate day : days) {
                    moved.add(move(day, target));
                }
            }
            return moved;
        } catch (StoreException e) {
            throw e;
        } catch (Exception e) {
            throw new StoreException("store: the move stopped: " + e.getMessage(), e);
        }
    }

    private MovedDay move(LocalDate day, MoveTarget target) throws SQLException {
        long all = source.count(day);
        BatchSum here = new BatchSum();
        KnownBatches names = new KnownBatches(MoveTarget.MOST_NAMES, MoveTarget.MOST_NAMES);
        Pending pending = new Pending(day, target);
        source.read(day, batch -> {
            here.add(batch);
            names.add(batch.id());
            if (!target.contains(batch.id())) {
                pending.add(batch);
            }
            tell(day, "moved", here.batches(), all);
        });
        pending.write();
        target.rollUp();
        BatchSum there = new BatchSum();
        if (pending.written > 0 || target.batches().days().contains(day)) {
            target.batches().read(day, batch -> {
                if (names.contains(batch.id())) {
                    there.add(batch);
                }
                tell(day, "compared", there.batches(), all);
            });
        }
        progress.accept(String.format(
                Locale.ROOT,
                "%s: %,d batches, %,d of them new there",
                day,
                here.batches(),
                pending.written));
        return new MovedDay(day, here, there);
    }

    private void tell(LocalDate day, String what, long done, long all) {
        long now = System.nanoTime();
        if (now - toldNanos >= PROGRESS_NANOS) {
            toldNanos = now;
            progress.accept(
                    String.format(Locale.ROOT, "%s: %,d of %,d batches %s", day, done, all, what));
        }
    }

    /** The batches of the next commit. */
    private static final class Pending {
        private final LocalDate day;
        private final MoveTarget target;
        private final List<Batch> batches = new ArrayList<>();
        private int records;
        private long receivedMicros;
        private long written;

        Pending(LocalDate day, MoveTarget target) {
            this.day = day;
            this.target = target;
        }

        void add(StoredBatch batch) throws SQLException {
            batches.add(batch.decoded());
            records += batch.bodies().size();
            receivedMicros = batch.receivedMicros();
            if (Math.max(records, batches.size()) >= RECORDS) {
                write();
            }
        }

        void write() throws SQLException {
            if (!batches.isEmpty()) {
                target.write(day, batches, Instant.EPOCH.plus(receivedMicros, ChronoUnit.MICROS));
                written += batches.size();
                batches.clear();
                records = 0;
            }
        }
    }
}
