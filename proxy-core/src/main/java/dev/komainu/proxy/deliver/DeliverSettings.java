package dev.komainu.proxy.deliver;

import java.time.Duration;
import java.util.List;

/**
 * What tunes the sending of answers.
 *
 * @param stallTimeout how long a client may accept no byte of an answer: 100 ms to 1 h (60 s); then its connection is
 *     reset and counted
 */
public record DeliverSettings(Duration stallTimeout) {

    public static final DeliverSettings DEFAULT = new DeliverSettings(Duration.ofSeconds(60));

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        long millis = stallTimeout.toMillis();
        if (millis < 100 || millis > 3_600_000) {
            problems.add("deliver.stall-timeout: " + millis + "ms (expected: 100ms to 3600000ms)");
        }
    }
}
