package dev.komainu.organizer.page;

import dev.komainu.intermediary.caching.ProxyClock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes when a test says so. */
public final class SetClock implements ProxyClock {

    private static final long EPOCH = Instant.parse("2026-11-23T09:00:00Z").toEpochMilli();

    private final AtomicLong passed = new AtomicLong(1_000);

    /** @param millis that pass */
    public void pass(long millis) {
        passed.addAndGet(millis);
    }

    @Override
    public long steadyMillis() {
        return passed.get();
    }

    @Override
    public long wallMillis() {
        return EPOCH + passed.get();
    }
}
