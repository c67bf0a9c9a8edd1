package dev.komainu.central.store;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
     * A batch and its waiting sender; an absent batch requests a roll-up and a deletion of old
     * files now.
     */
    private record Waiting(
            @Nullable Batch batch, CompletableFuture<Outcome> outcome, long sinceNanos) {}

    private final StoreEngine engine;
    private final RollUpProgress progress;
    private final KnownBatches storedBatches;
    private final int groupRecords;
    private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    private final AtomicLong queuedRecords = new AtomicLong();
    /** Bytes that the oldest days shall give; 0: none are requested. */
    private final AtomicLong requestedRoom = new AtomicLong();

    private final Thread thread;
    private volatile boolean closing;
    /** The oldest batch of the group that is being stored. */
    private volatile @Nullable Waiting inHand;

    private volatile double recordsPerNano = 20_000 / 1e9;

    // Writer thread only.
    private long lastRollUp = System.nanoTime();
    private long lastSweep = System.nanoTime();
    private long lastStarted = System.nanoTime();
    private final GroupPause pause = new GroupPause(System.nanoTime());
    private long failures;
    private long lastFailureLogged;

    /**
     * Starts the writer.
     *
     * @param storedBatches the names of the batches that the engine has stored; the engine adds to
     *     them
     */
    StoreWriter(
            StoreEngine engine,
            RollUpProgress progress,
            KnownBatches storedBatches,
            int groupRecords) {
        this.engine = engine;
        this.progress = progress;
        this.storedBatches = storedBatches;
        this.groupRecords = groupRecords;
        // A daemon thread: the store's owner closes it, and a failed start must not hang on it.
        thread = Thread.ofPlatform().name("komainu-store").daemon().start(this);
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

    /**
     * Submits a batch and waits for its outcome.
     *
     * @throws StoreException when it could not be stored
     */
    Outcome await(@Nullable Batch batch) throws InterruptedException {
        try {
            return submit(batch).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StoreException known
                    ? known
                    : new StoreException("store: batch not stored", e.getCause());
        }
    }

    private static int size(@Nullable Batch batch) {
        return batch == null ? 0 : batch.records().size();
    }

    Duration backlog() {
        Waiting oldest = queue.peek();
        long waited = oldest == null ? 0 : System.nanoTime() - oldest.sinceNanos();
        return Duration.ofNanos(Math.max(waited, (long) (queuedRecords.get() / recordsPerNano)));
    }

    /** Returns the age of the oldest batch that was taken and is not stored; zero without one. */
    Duration oldest() {
        Waiting oldest = inHand;
        if (oldest == null) {
            oldest = queue.peek();
        }
        return oldest == null
                ? Duration.ZERO
                : Duration.ofNanos(System.nanoTime() - oldest.sinceNanos());
    }

    @Override
    public void run() {
        while (true) {
            try {
                Waiting first = queue.poll(200, TimeUnit.MILLISECONDS);
                if (first != null) {
                    inHand = first;
                    process(first);
                    inHand = null;
                } else if (closing) {
                    break;
                }
                upkeep();
            } catch (InterruptedException e) {
                break;
            } catch (SQLException | RuntimeException e) {
                inHand = null;
                LOG.error("Store: upkeep failed, retry later: {}", e.toString());
                var unused = engine.recover(e);
            }
        }
        try {
            rollUp();
        } catch (SQLException | RuntimeException e) {
            LOG.warn("Store: open roll-ups not written: {}", e.toString());
        }
        try {
            engine.close();
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
            if (records >= groupRecords) {
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
            CompletableFuture<Outcome> requested = group.getLast().outcome();
            try {
                rollUp();
                sweep();
                requested.complete(Outcome.STORED);
            } catch (SQLException | RuntimeException e) {
                requested.completeExceptionally(new StoreException("store: no upkeep", e));
                throw e;
            }
        }
    }

    private void store(List<Waiting> group, int records) {
        store(group, records, false);
    }

    /** @param retried whether the engine recovered for this group */
    private void store(List<Waiting> group, int records, boolean retried) {
        long startNanos = System.nanoTime();
        try {
            commit(group);
            if (records >= RATE_RECORDS) {
                double rate = (double) records / (System.nanoTime() - startNanos);
                recordsPerNano = recordsPerNano * 0.8 + rate * 0.2;
            }
        } catch (SQLException | RuntimeException e) {
            if (!retried && engine.recover(e)) {
                store(group, records, true);
                return;
            }
            if (group.size() > 1 && !engine.isAway(e)) {
                group.forEach(waiting -> store(List.of(waiting), size(waiting.batch())));
                return;
            }
            failed(e);
            StoreException failure =
                    new StoreException("store: batch not stored: " + e.getMessage(), e);
            group.forEach(waiting -> waiting.outcome().completeExceptionally(failure));
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
            engine.write(fresh);
        }
        // A duplicate within the group is completed only now, after its first copy is committed.
        for (int i = 0; i < group.size(); i++) {
            group.get(i).outcome().complete(outcomes.get(i));
        }
    }

    /** Requests the deletion of the oldest days for want of room. Any thread. */
    void makeRoom(long bytes) {
        requestedRoom.set(bytes);
    }

    private void upkeep() throws SQLException {
        long now = System.nanoTime();
        long wanted = requestedRoom.getAndSet(0);
        if (wanted > 0) {
            engine.makeRoom(wanted);
        }
        if (now - lastRollUp >= ROLL_UP_NANOS || progress.size() >= MOST_OPEN_WINDOWS) {
            rollUp();
        }
        if (now - lastSweep >= SWEEP_NANOS) {
            sweep();
        }
    }

    private void rollUp() throws SQLException {
        lastRollUp = System.nanoTime();
        engine.rollUp();
    }

    private void sweep() throws SQLException {
        lastSweep = System.nanoTime();
        engine.sweep();
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
