package dev.komainu.agent;

import java.util.function.LongSupplier;

/**
 * Detector of steps of the wall clock, by comparison with the monotonic clock: an administrator or
 * a time service sets it back or forward at once. A clock that a time service slews stays below the
 * smallest step. One thread.
 */
final class ClockSteps {

    /**
     * Smallest step: more than a slewed clock gains between two checks, less than would damage a
     * window.
     */
    static final long MIN_STEP_MICROS = 2_000_000;

    private final LongSupplier wallMicros;
    private final LongSupplier nanos;
    private long lastWallMicros;
    private long lastNanos;

    /**
     * Creates a detector on two clocks.
     *
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
     * Returns the microseconds by which the wall clock was set since the last call, below 0: back;
     * 0 when it was not set.
     */
    long check() {
        long wall = wallMicros.getAsLong();
        long now = nanos.getAsLong();
        long step = wall - lastWallMicros - (now - lastNanos) / 1_000;
        lastWallMicros = wall;
        lastNanos = now;
        return Math.abs(step) < MIN_STEP_MICROS ? 0 : step;
    }
}
