package dev.komainu.proxy.cache;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The account of one period of a pool: the bytes of the stored responses whose last reference was
 * in this period.
 *
 * <pre>
 *   response ──► its period ──► its pool ──► the current period    a use moves the response's bytes there, once a period
 * </pre>
 *
 * Each response points to exactly one period. An atomic exchange changes it, and the winner moves
 * the bytes. At rest, the sum of a pool's periods is therefore exactly the bytes of the pool,
 * whichever threads used, moved or evicted responses. A past period is collected with the last
 * response that points to it. No lock, and no search when a period ends.
 */
final class ReferencePeriod {

    /** The period of responses in no pool. */
    static final ReferencePeriod NONE = new ReferencePeriod(null);

    private final @Nullable ReferencePeriods periods;
    private final LongAdder bytes = new LongAdder();

    private ReferencePeriod(@Nullable ReferencePeriods periods) {
        this.periods = periods;
    }

    static ReferencePeriod of(ReferencePeriods periods) {
        return new ReferencePeriod(periods);
    }

    /** Returns the current period of the same pool. */
    ReferencePeriod current() {
        return periods == null ? this : periods.current();
    }

    boolean isProtected() {
        return periods != null && periods.isProtected();
    }

    void add(long delta) {
        if (periods != null) {
            bytes.add(delta);
        }
    }

    long bytes() {
        return bytes.sum();
    }
}
