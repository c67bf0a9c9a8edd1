package dev.komainu.proxy.deliver;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What answers that are not stored may hold in this process: read of their origins, not yet taken
 * by their clients. One budget for all of them. Each pair of connections is given its bound when
 * its answer begins, a part of what is left, so that the sum stays within the budget however many
 * come; beyond it each still gets the least there is.
 *
 * <pre>
 *   a pair holds:  bound at the client's socket + one read of the origin's, at most the same  =  2 × bound, reserved
 * </pre>
 *
 * What is stored while it streams lies in the cache's memory and under its cap; it is not counted
 * here. Safe for all threads.
 */
public final class ReadAhead {

    /** As much as a pair gets while there is plenty. */
    public static final int MOST_BYTES = 64 * 1024;

    static final int LEAST_BYTES = 1024;
    /** So many could still begin with as much as the next one. */
    private static final int PARTS = 32;

    private final AtomicLong reserved = new AtomicLong();
    private final AtomicInteger pairs = new AtomicInteger();
    private final AtomicInteger heldUp = new AtomicInteger();
    private volatile long budgetBytes;

    /**
     * How it stands.
     *
     * @param reservedBytes at most so many are held now
     * @param pairs answers that are not stored and under way
     * @param heldUp of those, whose client takes less than comes
     */
    public record Figures(long budgetBytes, long reservedBytes, int pairs, int heldUp) {}

    public ReadAhead(long budgetBytes) {
        this.budgetBytes = budgetBytes;
    }

    /** From now on; pairs keep what they have. */
    public void budget(long bytes) {
        budgetBytes = bytes;
    }

    /** An answer begins. @return bytes of its bound, to be given back */
    public int take() {
        pairs.incrementAndGet();
        return reserve();
    }

    private int reserve() {
        int bound = Math.clamp((budgetBytes - reserved.get()) / PARTS, LEAST_BYTES, MOST_BYTES);
        reserved.addAndGet(2L * bound);
        return bound;
    }

    /** Its client has taken all: perhaps there is more by now. @return its bound from now on */
    public int takeAgain(int had) {
        if ((budgetBytes - reserved.get()) / PARTS < 2L * had) {
            return had;
        }
        reserved.addAndGet(-2L * had);
        return reserve();
    }

    /** The answer is through. */
    public void giveBack(int had) {
        pairs.decrementAndGet();
        reserved.addAndGet(-2L * had);
    }

    /** Its client takes less than comes. */
    public void heldUp() {
        heldUp.incrementAndGet();
    }

    /** It is through, or goes on. */
    public void goesOn() {
        heldUp.decrementAndGet();
    }

    public Figures figures() {
        return new Figures(budgetBytes, reserved.get(), pairs.get(), heldUp.get());
    }
}
