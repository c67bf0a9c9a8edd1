package dev.komainu.proxy.deliver;

import java.time.Duration;
import java.util.List;

/**
 * What tunes the sending of answers.
 *
 * @param stallTimeout how long a client may accept no byte of an answer: 100 ms to 1 h (60 s); then its connection is
 *     reset and counted
 * @param minRate bytes a second that a client must accept over each stall time-out while bytes wait for it: 0 (any) to
 *     1,000,000 (0); then likewise
 * @param readAheadBytes what all answers that are not stored may hold together, beyond what their clients took: 1 MB to 1 TB
 *     (32 MB)
 */
public record DeliverSettings(Duration stallTimeout, int minRate, long readAheadBytes) {

    public static final DeliverSettings DEFAULT = new DeliverSettings(Duration.ofSeconds(60), 0, 32L << 20);

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        long millis = stallTimeout.toMillis();
        if (millis < 100 || millis > 3_600_000) {
            problems.add("deliver.stall-timeout: " + millis + "ms (expected: 100ms to 3600000ms)");
        }
        if (minRate < 0 || minRate > 1_000_000) {
            problems.add("deliver.min-rate: " + minRate + " (expected: 0 to 1000000)");
        }
        if (readAheadBytes < 1L << 20 || readAheadBytes > 1L << 40) {
            problems.add("deliver.read-ahead: " + readAheadBytes + " (expected: 1MB to 1TB)");
        }
    }

    /** Bytes that must be accepted in each stall time-out; 0 lets any pace pass. */
    public long leastBytes() {
        return minRate * stallTimeout.toMillis() / 1000;
    }
}
