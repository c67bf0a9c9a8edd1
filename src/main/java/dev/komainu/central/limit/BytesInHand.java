package dev.komainu.central.limit;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The budget of bytes that requests hold in memory: bodies, decoded batches, results. It is one
 * share of the heap, so that the sum of all requests is bounded and not only each request.
 *
 * <p>No caller waits for bytes, because a waiting holder could wait for another waiting holder: a
 * request that gets no bytes is refused and its sender retries. Any thread.
 */
@Component
public class BytesInHand {

    private final long total;
    private final long strangersTotal;
    private final Refusals refusals;
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong heldByStrangers = new AtomicLong();

    @Autowired
    public BytesInHand(Refusals refusals, MeterRegistry meters) {
        this(RequestLimit.BUDGET_SHARE.shareOf(Runtime.getRuntime().maxMemory()), refusals);
        Gauge.builder("komainu.bytes.in.hand", this, BytesInHand::held)
                .description("Bytes that requests hold in memory")
                .register(meters);
        Gauge.builder("komainu.bytes.in.hand.limit", this, budget -> budget.total)
                .description("Limit of the bytes that requests hold in memory")
                .register(meters);
    }

    BytesInHand(long total, Refusals refusals) {
        this.total = total;
        this.strangersTotal = RequestLimit.STRANGERS_SHARE.shareOf(total);
        this.refusals = refusals;
    }

    /** Returns a budget for tests and for programs without a web server. */
    public static BytesInHand of(long total, Refusals refusals) {
        return new BytesInHand(total, refusals);
    }

    public long total() {
        return total;
    }

    /** Returns the bytes in hand now. */
    public long held() {
        return held.get();
    }

    /**
     * Opens a holding without bytes.
     *
     * @param stranger whether the request has no login; strangers share a small part of the budget
     */
    public Holding open(boolean stranger) {
        return new Holding(stranger);
    }

    /** The bytes of one request. Belongs to one thread at a time; returned at its close. */
    public final class Holding implements AutoCloseable {

        private boolean stranger;
        private long mine;

        private Holding(boolean stranger) {
            this.stranger = stranger;
        }

        /** Moves the holding from the strangers' part to all, after authentication. */
        public void authenticated() {
            if (stranger) {
                stranger = false;
                heldByStrangers.addAndGet(-mine);
            }
        }

        /**
         * Takes further bytes, before they are allocated.
         *
         * @throws BytesExhaustedException when the budget has fewer left
         */
        public void take(long bytes) {
            if (mine + bytes > total) {
                throw refused(
                        Refusal.BYTES_BEYOND_BUDGET,
                        "bytes in hand: " + (mine + bytes) + " for one request (expected: at most "
                                + total + ")",
                        true);
            }
            if (stranger && !taken(heldByStrangers, bytes, strangersTotal)) {
                throw refused(
                        Refusal.STRANGERS_BYTES_IN_HAND,
                        "bytes in hand: all " + strangersTotal
                                + " for requests without a login are in use",
                        false);
            }
            if (!taken(held, bytes, total)) {
                if (stranger) {
                    heldByStrangers.addAndGet(-bytes);
                }
                throw refused(
                        Refusal.BYTES_IN_HAND,
                        "bytes in hand: " + held.get() + " of " + total + " are in use",
                        false);
            }
            mine += bytes;
        }

        /** Returns the bytes of this holding. */
        public long bytes() {
            return mine;
        }

        @Override
        public void close() {
            held.addAndGet(-mine);
            if (stranger) {
                heldByStrangers.addAndGet(-mine);
            }
            mine = 0;
        }

        private BytesExhaustedException refused(Refusal reason, String message, boolean permanent) {
            refusals.count(reason);
            return new BytesExhaustedException(message, permanent);
        }
    }

    private static boolean taken(AtomicLong counter, long bytes, long most) {
        long before = counter.get();
        while (before + bytes <= most) {
            if (counter.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = counter.get();
        }
        return false;
    }
}
