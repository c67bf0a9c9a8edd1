package dev.komainu.proxy.disk;

import dev.komainu.telemetry.record.Distribution;
import org.HdrHistogram.Histogram;

/** The duration of reads, queueing included, per second. Thread-safe. */
final class ReadTimes {

    /**
     * The reads of one second.
     *
     * @param p95Micros 0 when there was none
     */
    record Second(long count, long p95Micros) {}

    // Guarded by this.
    private final Histogram current = Distribution.newRecorder();
    private Second last = new Second(0, 0);

    synchronized void record(long nanos) {
        Distribution.record(current, nanos / 1000);
    }

    /** Ends the current second and returns its values. */
    synchronized Second endSecond() {
        Second finished = new Second(
                current.getTotalCount(),
                current.getTotalCount() == 0 ? 0 : current.getValueAtPercentile(95));
        current.reset();
        if (finished.count > 0) {
            last = finished;
        }
        return finished;
    }

    /** Returns the value of the last second with reads. */
    synchronized long p95Micros() {
        return last.p95Micros;
    }
}
