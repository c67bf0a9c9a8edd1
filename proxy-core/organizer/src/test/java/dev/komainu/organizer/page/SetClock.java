package dev.komainu.organizer.page;

import dev.komainu.intermediary.caching.ProxyClock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that the test moves. */
public final class SetClock implements ProxyClock {

    private static final long EPOCH = Instant.parse("2026-11-23T09:00:00Z").toEpochMilli();

    private final AtomicLong passed = new AtomicLong(1_000);

    /**
     * Moves the clock.
     *
     * @param millis milliseconds to add
     */
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
