package dev.komainu.agent;

import java.util.function.LongSupplier;

/**
 * Steps of the wall clock, seen beside the monotonic clock: an administrator or a time service sets
 * it back or forward at once. What a time service slews stays below the least step. One thread.
 */
final class ClockSteps {

    /** More than a slewed clock gains between two looks, less than a window would bear. */
    static final long LEAST_MICROS = 2_000_000;

    private final LongSupplier wallMicros;
    private final LongSupplier nanos;
    private long lastWallMicros;
    private long lastNanos;

    /**
     * @param wallMicros microseconds since the epoch
     * @param nanos monotonic, nanoseconds
     */
    ClockSteps(LongSupplier wallMicros, LongSupplier nanos) {
        this.wallMicros = wallMicros;
        this.nanos = nanos;
        this.lastWallMicros = wallMicros.getAsLong();
        this.lastNanos = nanos.getAsLong();
    }

    /**
     * Microseconds the wall clock was set by since the last call, below 0: back; 0 when it was not
     * set.
     */
    long look() {
        long wall = wallMicros.getAsLong();
        long now = nanos.getAsLong();
        long step = wall - lastWallMicros - (now - lastNanos) / 1_000;
        lastWallMicros = wall;
        lastNanos = now;
        return Math.abs(step) < LEAST_MICROS ? 0 : step;
    }
}
