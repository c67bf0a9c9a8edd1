package dev.komainu.telemetry.record;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Microseconds since 1970-01-01T00:00Z, the unit of every time in a record. */
public final class EpochMicros {

    private EpochMicros() {}

    /** Returns the time of the system's clock, which may be set back. */
    public static long now() {
        return of(Instant.now());
    }

    /** Returns an instant in epoch microseconds. */
    public static long of(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
