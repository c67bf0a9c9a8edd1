package dev.komainu.central.replay;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** The clock of a replay: the time of the newest recorded event. Belongs to one thread. */
final class RecordedClock extends Clock {

    private Instant now = Instant.EPOCH;

    void set(long micros) {
        now = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
