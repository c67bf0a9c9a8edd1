package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The cache's entries by key, with the eviction of those beyond the maximum weight. One
 * implementation for each {@link CachePolicy}.
 *
 * <p>The {@link RemovalListener} is called once for each entry that is replaced, removed or
 * evicted. Thread-safe. A function passed to {@link #compute} must not call the entries.
 */
public interface CacheEntries {

    /**
     * Receives each removed entry once, on the removing thread, which holds no lock of the order.
     */
    interface RemovalListener {
        /**
         * Handles an entry after its removal.
         *
         * @param evicted whether the policy removed it because of the weight
         */
        void onRemoval(CacheKey key, CacheEntry entry, boolean evicted);

        /**
         * Handles an entry that makes room for others, before its removal: within the atomic step
         * that removes it, so that a thread that no longer finds the entry knows that this call was
         * made. Must be short and must not call the entries.
         */
        default void onEviction(CacheKey key, CacheEntry entry) {}
    }

    static CacheEntries of(CachePolicy policy, long maximum, RemovalListener listener) {
        return switch (policy) {
            case W_TINYLFU -> new FrequencyEntries(maximum, listener);
            case LRU -> new RecencyEntries(maximum, listener);
        };
    }

    /** Returns the entry; counts as a use. The key may be an event loop's scratch key. */
    @Nullable
    CacheEntry get(CacheKey key);

    void put(CacheKey key, CacheEntry entry);

    /** Replaces an entry. Returns whether {@code before} was present and {@code updated} now is. */
    boolean replace(CacheKey key, CacheEntry before, CacheEntry updated);

    /**
     * Replaces an entry by the result of {@code remapping}; null removes it. Atomic for its key.
     *
     * @param expected estimate of the additional weight, for which room may be made
     * @param remapping receives null when there is no entry
     */
    void compute(
            CacheKey key,
            long expected,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> remapping);

    /** Removes an entry. Returns the removed entry. */
    @Nullable
    CacheEntry remove(CacheKey key);

    /** Removes this entry. Returns whether it was present. */
    boolean remove(CacheKey key, CacheEntry entry);

    /**
     * Returns all entries; those added or removed meanwhile may be missing. Takes no lock and
     * counts as no use.
     */
    Iterable<Map.Entry<CacheKey, CacheEntry>> all();

    /**
     * Runs an action while no entry moves between pools: each entry keeps its key and its place for
     * an iteration, unless it is dropped.
     */
    default void withoutMoves(Runnable action) {
        action.run();
    }

    /**
     * Drops the coldest entries, of at most this weight in total, yet at least one.
     *
     * @return the number of dropped entries; 0 when there are none
     */
    int dropColdest(long weight);

    /** Drops the coldest entries to make room for a new entry under this key. */
    default int dropColdest(long weight, CacheKey newcomer) {
        return dropColdest(weight);
    }

    void dropAll();

    /** Returns the total weight. */
    long weight();

    void maximum(long weight);

    long count();
}
