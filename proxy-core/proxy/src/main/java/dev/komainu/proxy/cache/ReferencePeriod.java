package dev.komainu.proxy.cache;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The books of one period of a pool: the bytes of the stored answers whose last reference fell into
 * it.
 *
 * <pre>
 *   answer ──► its period ──► its pool ──► the present period        a use moves the answer's bytes there, once a period
 * </pre>
 *
 * Each answer points to exactly one period, by an atomic exchange whose winner moves the bytes: so
 * at rest a pool's periods together hold exactly what the pool holds, whoever used, moved or
 * evicted what. A period that is over is forgotten with the last answer that points to it. No lock,
 * and no search of anything when a period ends.
 */
final class ReferencePeriod {

    /** Of answers that are in no pool. */
    static final ReferencePeriod NONE = new ReferencePeriod(null);

    private final @Nullable ReferencePeriods periods;
    private final LongAdder bytes = new LongAdder();

    private ReferencePeriod(@Nullable ReferencePeriods periods) {
        this.periods = periods;
    }

    static ReferencePeriod of(ReferencePeriods periods) {
        return new ReferencePeriod(periods);
    }

    /** The present one of the same pool. */
    ReferencePeriod present() {
        return periods == null ? this : periods.present();
    }

    boolean isProtected() {
        return periods != null && periods.isProtected();
    }

    void add(long more) {
        if (periods != null) {
            bytes.add(more);
        }
    }

    long bytes() {
        return bytes.sum();
    }
}
