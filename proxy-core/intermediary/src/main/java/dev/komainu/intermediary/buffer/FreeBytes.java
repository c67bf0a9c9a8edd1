package dev.komainu.intermediary.buffer;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of the budget that no connection has reserved, between two rounds. A reserve is kept for
 * connections that open or are used again before the next round, and for connections that grow but
 * have less than others. Without it, a single path without a limit would take everything for a
 * second, and each new connection's response would begin with a few segments.
 *
 * <pre>
 *            ┌────────────── free ──────────────┬───── reserve ─────┐
 *   new, used again: up to a first window       │      then this    │
 *   growing:         every connection           │      up to the level of the last round
 * </pre>
 *
 * <p>The reserve is twice the bytes that new connections requested in the last second (their first
 * window, and once more, because they grow), halved after each second without requests, a quarter
 * of the budget at most. Thread-safe.
 */
final class FreeBytes {

    static final int RESERVE_DIVISOR = 4;

    private final AtomicLong free;
    private final AtomicLong reserve = new AtomicLong();
    private final AtomicLong requestedByNewcomers = new AtomicLong();
    private volatile long level;
    /** Accessed by the thread of the rounds only. */
    private long reserveTarget;

    FreeBytes(long budgetBytes) {
        free = new AtomicLong(budgetBytes);
    }

    /**
     * Adds bytes; a negative number takes bytes even when they are not free. Called when the budget
     * changes, a share is released, or a floor must be granted.
     */
    void add(long bytes) {
        free.addAndGet(bytes);
    }

    /**
     * Takes bytes for a new connection or one that is used again.
     *
     * @return the requested bytes as far as they are free
     */
    long forNewcomer(long bytes) {
        long requested = Math.max(0, bytes);
        requestedByNewcomers.addAndGet(requested);
        long granted = takeUpTo(free, requested);
        return granted + takeUpTo(reserve, requested - granted);
    }

    /**
     * Takes bytes for a connection that has a share already.
     *
     * @return the requested bytes as far as they are free for a share of this size
     */
    long forGrowth(long share, long bytes) {
        long granted = takeUpTo(free, bytes);
        return granted + takeUpTo(reserve, Math.min(bytes - granted, level - share - granted));
    }

    private static long takeUpTo(AtomicLong source, long bytes) {
        if (bytes <= 0) {
            return 0;
        }
        long before = source.getAndUpdate(now -> now - Math.clamp(now, 0, bytes));
        return Math.clamp(before, 0, bytes);
    }

    /**
     * Returns the reserve of the next second, to be subtracted before the rest is shared. On the
     * thread of the rounds.
     */
    long nextReserve(long budgetBytes) {
        reserveTarget = Math.min(
                Math.max(2 * requestedByNewcomers.getAndSet(0), reserveTarget / 2),
                budgetBytes / RESERVE_DIVISOR);
        return reserveTarget;
    }

    /**
     * Sets the bytes left after a round, and the level up to which every demand is met. On the
     * thread of the rounds.
     */
    void setFree(long bytes, long newLevel) {
        level = newLevel;
        long reserved = Math.clamp(bytes, 0, reserveTarget);
        reserve.set(reserved);
        free.set(bytes - reserved);
    }
}
