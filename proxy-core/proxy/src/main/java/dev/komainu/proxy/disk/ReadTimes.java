package dev.komainu.proxy.disk;

import dev.komainu.telemetry.record.Distribution;
import org.HdrHistogram.Histogram;

/** How long reads took, queueing included; second by second. Safe for all threads. */
final class ReadTimes {

    /**
     * One second's reads.
     *
     * @param p95Micros 0 when there was none
     */
    record Second(long count, long p95Micros) {}

    // Guarded by this.
    private final Histogram now = Distribution.newRecorder();
    private Second last = new Second(0, 0);

    synchronized void took(long nanos) {
        Distribution.record(now, nanos / 1000);
    }

    /** The second that ends now. */
    synchronized Second turn() {
        Second ended = new Second(
                now.getTotalCount(), now.getTotalCount() == 0 ? 0 : now.getValueAtPercentile(95));
        now.reset();
        if (ended.count > 0) {
            last = ended;
        }
        return ended;
    }

    /** Of the last second that had reads. */
    synchronized long p95Micros() {
        return last.p95Micros;
    }
}
