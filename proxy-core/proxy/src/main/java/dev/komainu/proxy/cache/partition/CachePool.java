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
 * One of the two pools of a divided cache: entries under an eviction policy of its own, and an
 * account of the bytes recently referenced.
 *
 * <p><b>Unreferenced</b> responses were neither stored nor used since the current period started
 * ({@link PoolBoundary} ends periods). Their bytes are the pool's bytes minus those referenced in
 * the current period ({@link ReferencePeriods}). Hit-for-miss marks and Vary rules have a weight
 * but never count as unreferenced. Thread-safe.
 */
final class CachePool {

    private final ReferencePeriods periods;
    private final CacheEntries entries;
    /**
     * Share of the bytes that stays unreferenced in a pool in frequent use; see
     * {@link #hasNoUnreferenced}.
     */
    private final int restingShare;

    /** Weight of all entries, including those about to be put. */
    private final AtomicLong weight = new AtomicLong();
    /** Weight of the stored responses. */
    private final LongAdder stored = new LongAdder();

    private final LongAdder evictions = new LongAdder();
    /** Written under the boundary's lock. */
    private volatile long maximum;
    /**
     * The entry being moved to the other pool, for which the listener is not called. Written by the
     * one moving thread.
     */
    private volatile @Nullable CacheEntry moving;

    private volatile @Nullable Thread mover;

    CachePool(
            boolean isProtected,
            CachePolicy policy,
            long maximum,
            CacheEntries.RemovalListener listener) {
        this.periods = new ReferencePeriods(isProtected);
        this.maximum = maximum;
        // An LRU pool that has taken in its own size has dropped everything older. W-TinyLFU keeps
        // favourites that rest for a while: a wait for the use of the last of thousands would not
        // end.
        this.restingShare = policy == CachePolicy.LRU ? 0 : 16;
        this.entries = CacheEntries.of(policy, maximum, new CacheEntries.RemovalListener() {
            @Override
            public void onEviction(CacheKey key, CacheEntry entry) {
                listener.onEviction(key, entry);
            }

            @Override
            public void onRemoval(CacheKey key, CacheEntry entry, boolean evicted) {
                if (entry == moving && Thread.currentThread() == mover) {
                    return;
                }
                if (evicted) {
                    evictions.increment();
                }
                discharge(entry);
                listener.onRemoval(key, entry, evicted);
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
     * Returns the unused bytes, at most the maximum: while an entry is replaced during its
     * eviction, the weight is below 0 for a moment.
     */
    long free() {
        return Math.clamp(maximum - weight(), 0, maximum);
    }

    /** Sets the maximum and evicts the excess. Called under the boundary's lock. */
    void maximum(long limit) {
        if (limit != maximum) {
            maximum = limit;
            entries.maximum(limit);
        }
    }

    /** Charges an entry that is about to be put; the put counts as a reference. */
    void charge(CacheEntry entry) {
        charge(entry, true);
    }

    private void charge(CacheEntry entry, boolean referenced) {
        weight.addAndGet(entry.weight());
        if (entry instanceof StoredRepresentation response) {
            stored.add(response.weight());
            periods.add(response, referenced);
        }
    }

    /** Discharges an entry that left the pool or was not put. */
    void discharge(CacheEntry entry) {
        weight.addAndGet(-entry.weight());
        if (entry instanceof StoredRepresentation response) {
            stored.add(-response.weight());
            ReferencePeriods.remove(response);
        }
    }

    /**
     * Removes an entry for a move to the other pool, without a call of the listener. One thread at
     * a time, which locks out other writers of this key.
     *
     * @return false when the entry is no longer here; its remover has called the listener
     */
    boolean moveOut(CacheKey key, CacheEntry entry) {
        mover = Thread.currentThread();
        moving = entry;
        try {
            return entries.remove(key, entry);
        } finally {
            moving = null;
            mover = null;
        }
    }

    /** Charges an entry moved out of {@code former}, referenced if it was referenced there. */
    void chargeAs(CacheEntry entry, CachePool former) {
        boolean referenced = entry instanceof StoredRepresentation response
                && former.periods.isReferenced(response);
        former.discharge(entry);
        charge(entry, referenced);
    }

    /**
     * Adds bytes to the weight, or subtracts them, so that room for a future entry is taken into
     * account.
     */
    void reserve(long bytes) {
        weight.addAndGet(bytes);
    }

    /** Drops the coldest entries. Returns their number; 0 when the pool is empty. */
    int dropColdest(long limit) {
        int dropped = entries.dropColdest(limit);
        evictions.add(dropped);
        return dropped;
    }

    /** Starts a new period: no entry is referenced in it yet. */
    void startPeriod() {
        periods.startPeriod();
    }

    long unreferenced() {
        return Math.max(0, stored.sum() - periods.referencedBytes());
    }

    /** Reports whether no unreferenced bytes are left; under W-TinyLFU a sixteenth may rest. */
    boolean hasNoUnreferenced() {
        long all = stored.sum();
        return all > 0 && unreferenced() <= (restingShare == 0 ? 0 : all / restingShare);
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
