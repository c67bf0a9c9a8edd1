package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.ReferencePeriods;
import dev.komainu.proxy.cache.StoredRepresentation;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One of the two pools of a divided cache: entries under a policy of their own, and how much of
 * them was referenced lately.
 *
 * <p><b>Unreferenced</b> is what is stored here and was neither put here nor used since the present
 * period began ({@link PoolBoundary} tells when one ends): its bytes are the pool's less those
 * referenced in the present period ({@link ReferencePeriods}). Marks and rules are no content: they
 * weigh, but are not counted as unreferenced. Safe for all threads.
 */
final class CachePool {

    private final ReferencePeriods periods;
    private final CacheEntries entries;
    /** What frequent use of a pool leaves unused all the same; see {@link #ranOut}. */
    private final int restShare;

    /** Of everything here, what is about to be put included. */
    private final AtomicLong weight = new AtomicLong();
    /** Of these, of stored answers. */
    private final LongAdder stored = new LongAdder();

    private final LongAdder evictions = new LongAdder();
    /** Written under the boundary's lock. */
    private volatile long maximum;
    /** What is being moved away, and by whom: nobody is told of it. Written by the one mover. */
    private volatile @Nullable CacheEntry moving;

    private volatile @Nullable Thread mover;

    CachePool(
            boolean isProtected, CachePolicy policy, long maximum, CacheEntries.Farewell farewell) {
        this.periods = new ReferencePeriods(isProtected);
        this.maximum = maximum;
        // An LRU pool that takes in its own size has dropped everything older. W-TinyLFU keeps
        // favourites that rest for a while: waiting for the very last of thousands to be used would
        // wait for ever.
        this.restShare = policy == CachePolicy.LRU ? 0 : 16;
        this.entries = CacheEntries.of(policy, maximum, new CacheEntries.Farewell() {
            @Override
            public void leaving(CacheKey key, CacheEntry entry) {
                farewell.leaving(key, entry);
            }

            @Override
            public void left(CacheKey key, CacheEntry entry, boolean evicted) {
                if (entry == moving && Thread.currentThread() == mover) {
                    return;
                }
                if (evicted) {
                    evictions.increment();
                }
                discharge(entry);
                farewell.left(key, entry, evicted);
            }
        });
    }

    CacheEntries entries() {
        return entries;
    }

    long weight() {
        return weight.get();
    }

    long maximum() {
        return maximum;
    }

    /**
     * Bytes it does not use, never more than it has: while an entry that is just being evicted is
     * replaced, the weight is below 0 for a moment.
     */
    long free() {
        return Math.clamp(maximum - weight(), 0, maximum);
    }

    /** Under the boundary's lock. Lets go of what is too much. */
    void maximum(long most) {
        if (most != maximum) {
            maximum = most;
            entries.maximum(most);
        }
    }

    /** It is about to be put here; coming in is a reference. */
    void charge(CacheEntry entry) {
        charge(entry, true);
    }

    private void charge(CacheEntry entry, boolean referenced) {
        weight.addAndGet(entry.weight());
        if (entry instanceof StoredRepresentation answer) {
            stored.add(answer.weight());
            periods.enter(answer, referenced);
        }
    }

    /** It left, or was not put after all. */
    void discharge(CacheEntry entry) {
        weight.addAndGet(-entry.weight());
        if (entry instanceof StoredRepresentation answer) {
            stored.add(-answer.weight());
            ReferencePeriods.leave(answer);
        }
    }

    /**
     * Takes an entry out for the other pool, without a farewell. One thread at a time, which keeps
     * everybody else who writes this key away.
     *
     * @return false when it is not here any more; whoever took it told of it
     */
    boolean giveAway(CacheKey key, CacheEntry entry) {
        mover = Thread.currentThread();
        moving = entry;
        try {
            return entries.remove(key, entry);
        } finally {
            moving = null;
            mover = null;
        }
    }

    /**
     * What was given away by {@code former} is about to be put here, as referenced as it was there.
     */
    void chargeAs(CacheEntry entry, CachePool former) {
        boolean referenced =
                entry instanceof StoredRepresentation answer && former.periods.isReferenced(answer);
        former.discharge(entry);
        charge(entry, referenced);
    }

    /** So much more, or less, is looked for room for than is here. */
    void reserve(long bytes) {
        weight.addAndGet(bytes);
    }

    /** @return how many; 0 when there are none */
    int dropColdest(long most) {
        int dropped = entries.dropColdest(most);
        evictions.add(dropped);
        return dropped;
    }

    /** A new period: nothing here is referenced in it yet. */
    void begin() {
        periods.begin();
    }

    long unreferenced() {
        return Math.max(0, stored.sum() - periods.referencedBytes());
    }

    /** Whether it has no unreferenced bytes left; W-TinyLFU may keep a sixteenth that rests. */
    boolean ranOut() {
        long all = stored.sum();
        return all > 0 && unreferenced() <= (restShare == 0 ? 0 : all / restShare);
    }

    PoolFigures figures() {
        return new PoolFigures(
                weight(),
                maximum(),
                Math.max(0, stored.sum()),
                unreferenced(),
                entries.count(),
                evictions.sum());
    }
}
