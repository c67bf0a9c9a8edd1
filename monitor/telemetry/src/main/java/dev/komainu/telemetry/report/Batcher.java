package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchWriter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of batches from the queue. A batch is closed by count, size or age. Its thread owns
 * the writer and the sequence.
 */
final class Batcher implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Batcher.class);

    private final ReporterSettings settings;
    private final long epoch;
    private final BlockingQueue<TelemetryRecord> queue;
    private final Outbox outbox;
    private final DropCounts drops;
    private final BatchWriter writer = new BatchWriter();
    private final MessageThrottle throttle = new MessageThrottle();
    private long sequence;
    private long oldestNanos;
    private volatile boolean stopping;

    Batcher(
            ReporterSettings settings,
            long epoch,
            BlockingQueue<TelemetryRecord> queue,
            Outbox outbox,
            DropCounts drops) {
        this.settings = settings;
        this.epoch = epoch;
        this.queue = queue;
        this.outbox = outbox;
        this.drops = drops;
    }

    @Override
    public void run() {
        try {
            while (true) {
                TelemetryRecord record = queue.poll(waitNanos(), TimeUnit.NANOSECONDS);
                if (record != null) {
                    write(record);
                }
                if (isDue() || (record == null && stopping)) {
                    closeBatch();
                }
                if (record == null && stopping) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            closeBatch();
            Thread.currentThread().interrupt();
        }
    }

    /** Stops after the queued records are batched. */
    void stop() {
        stopping = true;
    }

    private long waitNanos() {
        long age = settings.batchAge().toNanos();
        if (stopping) {
            return 0;
        }
        // Short enough to detect a stop soon.
        long left = writer.count() == 0 ? age : oldestNanos + age - System.nanoTime();
        return Math.clamp(left, 0, 200_000_000L);
    }

    private boolean isDue() {
        return writer.count() >= settings.batchRecords()
                || writer.size() >= settings.batchBytes()
                || (writer.count() > 0
                        && System.nanoTime() - oldestNanos
                                >= settings.batchAge().toNanos());
    }

    private void write(TelemetryRecord record) {
        if (writer.count() == 0) {
            oldestNanos = System.nanoTime();
        }
        try {
            writer.add(record);
        } catch (RuntimeException e) {
            drops.add(DropCounts.UNWRITABLE, 1);
            throttle.report(
                    suppressed -> LOG.warn("Record not writable, dropped{}", suppressed, e));
        }
    }

    private void closeBatch() {
        int records = writer.count();
        if (records > 0) {
            BatchId id = new BatchId(settings.source(), epoch, ++sequence);
            outbox.add(new OutgoingBatch(id, records, writer.finish(id)));
        }
    }
}
