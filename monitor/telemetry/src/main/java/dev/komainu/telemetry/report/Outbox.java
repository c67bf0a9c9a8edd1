package dev.komainu.telemetry.report;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches waiting to be sent, oldest first: in memory while the central service responds, else
 * on disk.
 *
 * <p>Invariant: every batch in the spool is older than every batch in memory. The head is therefore
 * the spool's first batch, else memory's, and batches move only from memory to the spool. Any
 * thread. Guarded by this, including disk writes: only the two reporter threads use it.
 */
final class Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    /**
     * Least time between two forces of the spool: an outage may last for days on a host that others
     * use, too.
     */
    static final long FORCE_NANOS = 1_000_000_000L;

    private final Spool spool;
    private final LongSupplier nanos;
    private final long memoryLimit;
    private final DropCounts drops;
    private final MessageThrottle throttle = new MessageThrottle();
    private final ArrayDeque<OutgoingBatch> memory = new ArrayDeque<>();
    private long memoryBytes;
    private boolean reachable = true;
    private boolean closed;
    private long forcedNanos;

    Outbox(Spool spool, long memoryLimit, DropCounts drops) {
        this(spool, memoryLimit, drops, System::nanoTime);
    }

    Outbox(Spool spool, long memoryLimit, DropCounts drops, LongSupplier nanos) {
        this.spool = spool;
        this.nanos = nanos;
        this.forcedNanos = nanos.getAsLong() - FORCE_NANOS;
        this.memoryLimit = memoryLimit;
        this.drops = drops;
    }

    synchronized void add(OutgoingBatch batch) {
        if (closed) {
            drops.add(DropCounts.CLOSED, batch.records());
            return;
        }
        memory.addLast(batch);
        memoryBytes += batch.body().length;
        if (!reachable || memoryBytes > memoryLimit || !spool.isEmpty()) {
            spill();
        }
        notifyAll();
    }

    /**
     * Returns the oldest batch, which stays here until {@link #remove}. Waits for at most this
     * long; null when there is none.
     */
    synchronized @Nullable OutgoingBatch head(long waitMillis) throws InterruptedException {
        long deadline = System.nanoTime() + waitMillis * 1_000_000;
        OutgoingBatch oldest = oldest();
        while (oldest == null && !closed) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return null;
            }
            wait(left);
            oldest = oldest();
        }
        return oldest;
    }

    private @Nullable OutgoingBatch oldest() {
        try {
            OutgoingBatch spooled = spool.peek();
            return spooled != null ? spooled : memory.peekFirst();
        } catch (IOException e) {
            throttle.report(suppressed -> LOG.warn("Spool not readable: {}{}", e, suppressed));
            return memory.peekFirst();
        }
    }

    /** Removes a batch that has arrived or will never arrive. */
    synchronized void remove(OutgoingBatch batch) {
        try {
            if (spool.remove(batch)) {
                return;
            }
        } catch (IOException e) {
            throttle.report(suppressed -> LOG.warn("Spool not readable: {}{}", e, suppressed));
        }
        OutgoingBatch oldest = memory.peekFirst();
        if (oldest != null && oldest.id().equals(batch.id())) {
            memory.removeFirst();
            memoryBytes -= oldest.body().length;
        }
    }

    /**
     * Sets whether the central service can be reached. While it cannot, all waiting batches are
     * moved to the disk, because this process may end first.
     */
    synchronized void reachable(boolean now) {
        reachable = now;
        if (!now) {
            spill();
        }
    }

    private void spill() {
        String reason = DropCounts.MEMORY_FULL;
        if (!spool.isOff()) {
            try {
                for (OutgoingBatch oldest = memory.peekFirst();
                        oldest != null;
                        oldest = memory.peekFirst()) {
                    spool.append(oldest);
                    memory.removeFirst();
                    memoryBytes -= oldest.body().length;
                }
                if (nanos.getAsLong() - forcedNanos >= FORCE_NANOS) {
                    spool.force();
                    forcedNanos = nanos.getAsLong();
                }
            } catch (IOException e) {
                reason = DropCounts.SPOOL_FAILED;
                throttle.report(suppressed -> LOG.warn(
                        "Spool not writable, keeping what fits in memory: {}{}", e, suppressed));
            }
        }
        while (memoryBytes > memoryLimit) {
            OutgoingBatch oldest = memory.removeFirst();
            memoryBytes -= oldest.body().length;
            drops.add(reason, oldest.records());
        }
    }

    synchronized int batchesInMemory() {
        return memory.size();
    }

    synchronized long waitingRecords() {
        return spool.records()
                + memory.stream().mapToLong(OutgoingBatch::records).sum();
    }

    synchronized long spoolBytes() {
        return spool.bytes();
    }

    synchronized boolean isEmpty() {
        return memory.isEmpty() && spool.isEmpty();
    }

    /** Spools the remaining batches; records that cannot be spooled are counted as dropped. */
    synchronized void close() {
        closed = true;
        spill();
        for (OutgoingBatch left : memory) {
            drops.add(DropCounts.CLOSED, left.records());
        }
        memory.clear();
        memoryBytes = 0;
        try {
            spool.close();
        } catch (IOException e) {
            LOG.warn("Spool not closed: {}", e.toString());
        }
        notifyAll();
    }
}
