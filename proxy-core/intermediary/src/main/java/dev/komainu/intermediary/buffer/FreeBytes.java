package dev.komainu.intermediary.buffer;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What of the budget nobody holds, between two looks. A part of it is kept back for who comes or
 * wakes before the next look, and for who grows but has less than others have: without it a single
 * path that could carry everything leaves nothing for a second, and each newcomer's answer begins
 * with a few segments.
 *
 * <pre>
 *            ┌────────────── free ──────────────┬──── kept back ────┐
 *   newcomer, waker: up to a first window       │      then this    │
 *   growing:         whoever                    │      up to the level of the last look
 * </pre>
 *
 * <p>What is kept back is twice what newcomers asked for in the last second (their first window,
 * and once more, because they grow), half as much after each second without any, a quarter of the
 * budget at most. Safe for all threads.
 */
final class FreeBytes {

    static final int RESERVE_DIVISOR = 4;

    private final AtomicLong free;
    private final AtomicLong reserve = new AtomicLong();
    private final AtomicLong requestedByNewcomers = new AtomicLong();
    private volatile long level;
    /** Of the thread that looks. */
    private long reserveTarget;

    FreeBytes(long budgetBytes) {
        free = new AtomicLong(budgetBytes);
    }

    /**
     * More, or less: the budget changed, or somebody gave back, or must have some whether it is
     * there or not.
     */
    void add(long bytes) {
        free.addAndGet(bytes);
    }

    /** @return of what a newcomer or one that wakes asks for, as much as there is */
    long forNewcomer(long bytes) {
        long requested = Math.max(0, bytes);
        requestedByNewcomers.addAndGet(requested);
        long granted = takeUpTo(free, requested);
        return granted + takeUpTo(reserve, requested - granted);
    }

    /**
     * @return of what it asks for beyond its share, as much as there is for one that has so much
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
     * Of the next second: what is to be kept back before the rest is shared. By the thread that
     * looks.
     */
    long nextReserve(long budgetBytes) {
        reserveTarget = Math.min(
                Math.max(2 * requestedByNewcomers.getAndSet(0), reserveTarget / 2),
                budgetBytes / RESERVE_DIVISOR);
        return reserveTarget;
    }

    /**
     * The rest is shared: so much is left, and wants are met up to this level. By the thread that
     * looks.
     */
    void setFree(long bytes, long newLevel) {
        level = newLevel;
        long reserved = Math.clamp(bytes, 0, reserveTarget);
        reserve.set(reserved);
        free.set(bytes - reserved);
    }
}
