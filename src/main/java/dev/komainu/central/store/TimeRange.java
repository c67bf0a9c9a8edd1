package dev.komainu.central.store;

import dev.komainu.telemetry.record.EpochMicros;
import java.time.Instant;

/**
 * A range of time from an instant (inclusive) to another (exclusive), in microseconds since the
 * epoch.
 */
public record TimeRange(long fromMicros, long toMicros) {

    public TimeRange {
        if (toMicros < fromMicros) {
            throw new IllegalArgumentException(
                    "range: " + fromMicros + " to " + toMicros + " (expected: from <= to)");
        }
    }

    public static TimeRange of(Instant from, Instant to) {
        return new TimeRange(EpochMicros.of(from), EpochMicros.of(to));
    }

    /** Returns the range that contains every instant. */
    public static TimeRange all() {
        return new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** Returns the range widened to full slots of this length. */
    TimeRange widened(long slotMicros) {
        long from = Math.floorDiv(fromMicros, slotMicros) * slotMicros;
        long to = toMicros > Long.MAX_VALUE - slotMicros
                ? toMicros
                : Math.ceilDiv(toMicros, slotMicros) * slotMicros;
        return new TimeRange(fromMicros < Long.MIN_VALUE + slotMicros ? fromMicros : from, to);
    }

    boolean contains(long micros) {
        return micros >= fromMicros && micros < toMicros;
    }
}
