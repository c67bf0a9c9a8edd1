package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A sink that waits for room in the queue: for a thread whose own input waits elsewhere meanwhile,
 * as packets do in the kernel's ring. A burst of records on a busy host then costs no record. After
 * a wait in vain it waits no more until a record has found room. One thread.
 */
final class PatientSink implements RecordSink {

    private static final long LONGEST_WAIT_MILLIS = 2_000;

    private final BlockingQueue<TelemetryRecord> queue;
    private final RecordSink refused;
    private boolean waits = true;

    /**
     * Creates the sink.
     *
     * @param refused receives a record that found no room, and counts it
     */
    PatientSink(BlockingQueue<TelemetryRecord> queue, RecordSink refused) {
        this.queue = queue;
        this.refused = refused;
    }

    @Override
    public void accept(TelemetryRecord record) {
        if (queue.offer(record)) {
            waits = true;
        } else if (!waits || !offerForAWhile(record)) {
            waits = false;
            refused.accept(record);
        }
    }

    private boolean offerForAWhile(TelemetryRecord record) {
        try {
            return queue.offer(record, LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
