package dev.komainu.central.store;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only thread that writes. It stores all waiting batches, up to a limit, in one commit: under
 * load the batches share the cost of a commit; with one or two sources a batch does not wait for
 * others, with more of them for a short time ({@link GroupPause}). Between groups it writes
 * roll-ups of ten seconds (every ten seconds) and deletes old files (every ten minutes).
 *
 * <p>A group that fails is retried batch by batch, so that one bad batch does not fail the others.
 */
final class StoreWriter implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(StoreWriter.class);
    /**
     * Records a group needs at least to measure the write rate: smaller groups measure the cost of
     * a commit.
     */
    private static final int RATE_RECORDS = 1_000;

    private static final long ROLL_UP_NANOS = 10_000_000_000L;

    /**
     * Windows that wait for the next roll-up at most. Ten seconds of 2,000 services; agents that
     * send what they kept during an outage send fifteen minutes in as much time.
     */
    private static final int MOST_OPEN_WINDOWS = 20_000;

    private static final long SWEEP_NANOS = 600_000_000_000L;
    private static final long FAILURE_NANOS = 60_000_000_000L;

    /**
     * DuckDB's messages for a file that is unusable until it is attached again: a checkpoint
     * failed, after which every access fails, although the commits before are durable.
     */
    private static final Pattern INVALIDATED =
            Pattern.compile("has been invalidated|autocheckpoint failed|appender_create");

    /**
     * A batch and its waiting sender; an absent batch requests a roll-up and a deletion of old
     * files now.
     */
    private record Waiting(
            @Nullable Batch batch, CompletableFuture<Outcome> outcome, long sinceNanos) {}

    private final StoreSettings settings;
    private final Clock clock;
    private final DayFiles files;
    private final RollUpProgress progress;
    private final Retention retention;
    private final DuckDBConnection connection;
    private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    private final AtomicLong queuedRecords = new AtomicLong();
    private final KnownBatches storedBatches = new KnownBatches();
    private final Thread thread;
    private volatile boolean closing;
    /** The file that is written to; absent when nothing came since its day ended. */
    private volatile @Nullable DayFile current;

    private volatile double recordsPerNano = 20_000 / 1e9;

    // Writer thread only.
    private long nextOrdinal = 1;
    private long lastRollUp = System.nanoTime();
    private long lastSweep = System.nanoTime();
    private long lastStarted = System.nanoTime();
    private final GroupPause pause = new GroupPause(System.nanoTime());
    private long failures;
    private long lastFailureLogged;

    StoreWriter(
            StoreSettings settings,
            Clock clock,
            DayFiles files,
            RollUpFiles rollUps,
            RollUpProgress progress)
            throws SQLException {
        this.settings = settings;
        this.clock = clock;
        this.files = files;
        this.progress = progress;
        this.retention = new Retention(settings, clock, System::nanoTime, files, rollUps);
        this.connection = files.connect();
        for (DayFile file : files.all()) {
            recall(file);
            progress.recover(connection, file);
            // The windows of an earlier day must be written into that day's file before today's
            // windows come.
            progress.write(connection, file);
        }
        sweep();
        // A daemon thread: the store's owner closes it, and a failed start must not hang on it.
        thread = Thread.ofPlatform().name("komainu-store").daemon().start(this);
    }

    private void recall(DayFile file) throws SQLException {
        // Islands of consecutive sequences; HUGEINT, because a sequence may be any 64-bit number.
        String sql =
                "SELECT source, epoch, min(sequence), max(sequence), max(ordinal) FROM (SELECT *,"
                        + " sequence::HUGEINT - row_number() OVER (PARTITION BY source, epoch ORDER BY sequence) AS island FROM "
                        + file.name() + ".batches) GROUP BY source, epoch, island";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                storedBatches.add(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
                nextOrdinal = Math.max(nextOrdinal, row.getLong(5) + 1);
            }
        }
    }

    CompletableFuture<Outcome> submit(@Nullable Batch batch) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        if (closing) {
            outcome.completeExceptionally(new StoreException("store: closed", null));
            return outcome;
        }
        queuedRecords.addAndGet(size(batch));
        queue.add(new Waiting(batch, outcome, System.nanoTime()));
        return outcome;
    }

    private static int size(@Nullable Batch batch) {
        return batch == null ? 0 : batch.records().size();
    }

    Duration backlog() {
        Waiting oldest = queue.peek();
        long waited = oldest == null ? 0 : System.nanoTime() - oldest.sinceNanos();
        return Duration.ofNanos(Math.max(waited, (long) (queuedRecords.get() / recordsPerNano)));
    }

    @Override
    public void run() {
        while (true) {
            try {
                Waiting first = queue.poll(200, TimeUnit.MILLISECONDS);
                if (first != null) {
                    process(first);
                } else if (closing) {
                    break;
                }
                upkeep();
            } catch (InterruptedException e) {
                break;
            } catch (SQLException | RuntimeException e) {
                LOG.error("Store: upkeep failed, retry later: {}", e.toString());
                var unused = openAgain(e);
            }
        }
        try {
            rollUp();
            connection.close();
        } catch (SQLException | RuntimeException e) {
            LOG.warn("Store: not closed cleanly: {}", e.toString());
        }
        failRemaining();
    }

    private void process(Waiting first) throws SQLException, InterruptedException {
        List<Waiting> group = new ArrayList<>();
        int records = 0;
        boolean upkeepRequested = false;
        long due = lastStarted + pause.nanos();
        for (Waiting next = first;
                next != null;
                next = queue.poll(closing ? 0 : due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            Batch batch = next.batch();
            int size = size(batch);
            queuedRecords.addAndGet(-size);
            if (batch != null) {
                pause.came(batch.id().source(), System.nanoTime());
            }
            if (batch == null) {
                upkeepRequested = true;
                group.add(next);
                break;
            }
            group.add(next);
            records += size;
            if (records >= settings.groupRecords()) {
                break;
            }
        }
        lastStarted = System.nanoTime();
        List<Waiting> batches =
                group.stream().filter(waiting -> waiting.batch() != null).toList();
        if (!batches.isEmpty()) {
            store(batches, records);
        }
        if (upkeepRequested) {
            rollUp();
            closePastDay();
            sweep();
            group.getLast().outcome().complete(Outcome.STORED);
        }
    }

    private void store(List<Waiting> group, int records) {
        store(group, records, false);
    }

    /** @param retried whether today's file was opened again for this group */
    private void store(List<Waiting> group, int records, boolean retried) {
        long startNanos = System.nanoTime();
        try {
            commit(group);
            if (records >= RATE_RECORDS) {
                double rate = (double) records / (System.nanoTime() - startNanos);
                recordsPerNano = recordsPerNano * 0.8 + rate * 0.2;
            }
        } catch (SQLException | RuntimeException e) {
            if (!retried && openAgain(e)) {
                store(group, records, true);
                return;
            }
            if (group.size() > 1) {
                group.forEach(waiting -> store(List.of(waiting), size(waiting.batch())));
                return;
            }
            failed(e);
            group.getFirst()
                    .outcome()
                    .completeExceptionally(
                            new StoreException("store: batch not stored: " + e.getMessage(), e));
        }
    }

    /**
     * Opens today's file again if a failure has made it unusable. Batches that were committed
     * although the commit was reported as failed are known afterwards.
     *
     * @return whether it was opened again
     */
    private boolean openAgain(Exception failure) {
        DayFile file = current;
        if (file == null
                || !INVALIDATED.matcher(String.valueOf(failure.getMessage())).find()) {
            return false;
        }
        try {
            files.reopen(file);
            recall(file);
            progress.recoverAgain(connection, file);
            LOG.warn("Store: {} was opened again after: {}", file.path(), failure.getMessage());
            return true;
        } catch (SQLException e) {
            LOG.error("Store: {} cannot be opened again: {}", file.path(), e.getMessage());
            return false;
        }
    }

    /** Logs a repeated failure at most once a minute, with a count. */
    private void failed(Exception e) {
        failures++;
        long now = System.nanoTime();
        if (failures == 1 || now - lastFailureLogged >= FAILURE_NANOS) {
            LOG.error("Store: batch not stored, {} since the start: {}", failures, e.getMessage());
            lastFailureLogged = now;
        }
    }

    private void commit(List<Waiting> group) throws SQLException {
        DayFile file = today();
        List<Batch> fresh = new ArrayList<>();
        List<Outcome> outcomes = new ArrayList<>();
        Set<BatchId> inGroup = new HashSet<>();
        for (Waiting waiting : group) {
            Batch batch = waiting.batch();
            if (batch == null || storedBatches.contains(batch.id()) || !inGroup.add(batch.id())) {
                outcomes.add(Outcome.DUPLICATE);
            } else {
                outcomes.add(Outcome.STORED);
                fresh.add(batch);
            }
        }
        if (!fresh.isEmpty()) {
            write(file, fresh);
        }
        // A duplicate within the group is completed only now, after its first copy is committed.
        for (int i = 0; i < group.size(); i++) {
            group.get(i).outcome().complete(outcomes.get(i));
        }
    }

    private void write(DayFile file, List<Batch> batches) throws SQLException {
        long received = ChronoUnit.MICROS.between(java.time.Instant.EPOCH, clock.instant());
        long firstOrdinal = nextOrdinal;
        // Widened before the commit: a query may then read the file without a match, but never miss
        // a record.
        for (Batch batch : batches) {
            for (TelemetryRecord record : batch.records()) {
                file.include(record.atMicros());
                file.include(FilingInstant.fromOf(record));
            }
        }
        Transaction.run(connection, () -> {
            try (Rows rows = new Rows(connection, file)) {
                long ordinal = firstOrdinal;
                for (Batch batch : batches) {
                    rows.write(batch, ordinal++, received);
                }
            }
        });
        for (Batch batch : batches) {
            storedBatches.add(batch.id());
            progress.add(batch, nextOrdinal++);
        }
        file.addBatches(batches.size(), received);
    }

    private DayFile today() throws SQLException {
        LocalDate day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        DayFile file = current;
        if (file == null || !file.day().equals(day)) {
            rollUp();
            file = files.of(day);
            current = file;
        }
        return file;
    }

    private void upkeep() throws SQLException {
        long now = System.nanoTime();
        if (now - lastRollUp >= ROLL_UP_NANOS || progress.size() >= MOST_OPEN_WINDOWS) {
            rollUp();
        }
        closePastDay();
        if (now - lastSweep >= SWEEP_NANOS) {
            sweep();
        }
    }

    /** Returns the file that is written to; absent when nothing came since its day ended. */
    @Nullable
    DayFile current() {
        return current;
    }

    /** Completes the roll-ups of a day that is over, although nothing came since then. */
    private void closePastDay() throws SQLException {
        DayFile file = current;
        if (file != null
                && !file.day().equals(LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC))) {
            rollUp();
            current = null;
        }
    }

    private void rollUp() throws SQLException {
        lastRollUp = System.nanoTime();
        DayFile file = current;
        if (file != null) {
            progress.write(connection, file);
        }
    }

    private void sweep() {
        lastSweep = System.nanoTime();
        retention.sweep(current);
    }

    private void failRemaining() {
        for (Waiting remaining = queue.poll(); remaining != null; remaining = queue.poll()) {
            remaining.outcome().completeExceptionally(new StoreException("store: closed", null));
        }
    }

    /** Stores the waiting batches, then ends the thread. */
    void close() {
        closing = true;
        try {
            thread.join(30_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failRemaining();
    }
}
