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

    static final int MOST_KEPT_BACK_SHARE = 4;

    private final AtomicLong free;
    private final AtomicLong keptBack = new AtomicLong();
    private final AtomicLong askedByNewcomers = new AtomicLong();
    private volatile long level;
    /** Of the thread that looks. */
    private long wish;

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
        long asked = Math.max(0, bytes);
        askedByNewcomers.addAndGet(asked);
        long had = some(free, asked);
        return had + some(keptBack, asked - had);
    }

    /**
     * @return of what it asks for beyond its share, as much as there is for one that has so much
     */
    long forGrowth(long share, long bytes) {
        long had = some(free, bytes);
        return had + some(keptBack, Math.min(bytes - had, level - share - had));
    }

    private static long some(AtomicLong of, long bytes) {
        if (bytes <= 0) {
            return 0;
        }
        long before = of.getAndUpdate(now -> now - Math.clamp(now, 0, bytes));
        return Math.clamp(before, 0, bytes);
    }

    /**
     * Of the next second: what is to be kept back before the rest is shared. By the thread that
     * looks.
     */
    long keepBack(long budgetBytes) {
        wish = Math.min(
                Math.max(2 * askedByNewcomers.getAndSet(0), wish / 2),
                budgetBytes / MOST_KEPT_BACK_SHARE);
        return wish;
    }

    /**
     * The rest is shared: so much is left, and wants are met up to this level. By the thread that
     * looks.
     */
    void left(long bytes, long metUpTo) {
        level = metUpTo;
        long back = Math.clamp(bytes, 0, wish);
        keptBack.set(back);
        free.set(bytes - back);
    }
}
