package dev.komainu.proxy.deliver;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget for bytes of responses that are not stored: read from their origins, not yet accepted
 * by their clients. There is one budget for the process. Each pair of connections gets a bound when
 * its response begins, a part of the bytes that are left, so that the sum stays within the budget
 * for any number of pairs. Beyond the budget each pair still gets the minimum.
 *
 * <pre>
 *   a pair keeps:  bound at the client's socket + one read of the origin's, at most the same  =  2 × bound, reserved
 * </pre>
 *
 * Responses that are stored while they stream use the cache's memory and its limit; they are not
 * counted here. Thread-safe.
 */
public final class ReadAhead {

    /** The bound of a pair while most of the budget is free, in bytes. */
    public static final int MOST_BYTES = 64 * 1024;

    static final int LEAST_BYTES = 1024;
    /** The number of further pairs that could start with the bound of the next one. */
    private static final int PARTS = 32;

    private final AtomicLong reserved = new AtomicLong();
    private final AtomicInteger pairs = new AtomicInteger();
    private final AtomicInteger heldUp = new AtomicInteger();
    private volatile long budgetBytes;

    /**
     * The figures of the budget.
     *
     * @param reservedBytes the upper bound of the bytes that are kept now
     * @param pairs the responses in progress that are not stored
     * @param heldUp those of them whose client accepts fewer bytes than arrive
     */
    public record Figures(long budgetBytes, long reservedBytes, int pairs, int heldUp) {}

    public ReadAhead(long budgetBytes) {
        this.budgetBytes = budgetBytes;
    }

    /** Sets the budget; pairs keep their bounds. */
    public void budget(long bytes) {
        budgetBytes = bytes;
    }

    /**
     * Reserves a bound when a response begins.
     *
     * @return the bound in bytes, to be released
     */
    public int begin() {
        pairs.incrementAndGet();
        return reserve();
    }

    private int reserve() {
        int bound = Math.clamp((budgetBytes - reserved.get()) / PARTS, LEAST_BYTES, MOST_BYTES);
        reserved.addAndGet(2L * bound);
        return bound;
    }

    /**
     * Extends a bound after the client has accepted all bytes, if the budget permits it.
     *
     * @return the bound from now on
     */
    public int extend(int bound) {
        if ((budgetBytes - reserved.get()) / PARTS < 2L * bound) {
            return bound;
        }
        reserved.addAndGet(-2L * bound);
        return reserve();
    }

    /** Releases a bound; the response is complete. */
    public void release(int bound) {
        pairs.decrementAndGet();
        reserved.addAndGet(-2L * bound);
    }

    /** Counts a response whose client accepts fewer bytes than arrive. */
    public void paused() {
        heldUp.incrementAndGet();
    }

    /** Stops counting such a response; it continues or is complete. */
    public void resumed() {
        heldUp.decrementAndGet();
    }

    public Figures figures() {
        return new Figures(budgetBytes, reserved.get(), pairs.get(), heldUp.get());
    }
}
