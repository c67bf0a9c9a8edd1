package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The entries by key, and which of them go when they weigh more than the maximum. One
 * implementation for each {@link CachePolicy}.
 *
 * <p>Whatever entered and is not there any more was told to the {@link Farewell} once: replaced,
 * removed or evicted. Safe for all threads; a function given to {@link #compute} must not call
 * back.
 */
public interface CacheEntries {

    /**
     * Told of each entry that left, once, by the thread that made it leave, holding no lock of the
     * order.
     */
    interface Farewell {
        /** @param evicted by the policy itself, because of the weight */
        void left(CacheKey key, CacheEntry entry, boolean evicted);

        /**
         * Told before, of what makes room for others: within the atomic step that takes it out, so
         * whoever finds it no more knows that this was told. Must be short and must not call back.
         */
        default void leaving(CacheKey key, CacheEntry entry) {}
    }

    static CacheEntries of(CachePolicy policy, long maximum, Farewell farewell) {
        return switch (policy) {
            case W_TINYLFU -> new FrequencyEntries(maximum, farewell);
            case LRU -> new RecencyEntries(maximum, farewell);
        };
    }

    /** A use. The key may be a loop's scratch key. */
    @Nullable
    CacheEntry get(CacheKey key);

    void put(CacheKey key, CacheEntry entry);

    /** @return whether {@code before} was there, and {@code fresh} is now */
    boolean replace(CacheKey key, CacheEntry before, CacheEntry fresh);

    /**
     * Puts what {@code made} makes of what is there; absent removes. Atomic for its key.
     *
     * @param expected about what it will weigh more: room may be made for so much
     * @param made is given absent when nothing is there
     */
    void compute(
            CacheKey key,
            long expected,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> made);

    /** @return what was there */
    @Nullable
    CacheEntry remove(CacheKey key);

    /** @return whether this very entry was there */
    boolean remove(CacheKey key, CacheEntry entry);

    /**
     * What is there; what comes and goes meanwhile may be missed. Takes no lock; is no use of
     * anything.
     */
    Iterable<Map.Entry<CacheKey, CacheEntry>> all();

    /**
     * What is there stays under its key and in its place for the walk while this runs, unless
     * somebody drops it.
     */
    default void undisturbed(Runnable look) {
        look.run();
    }

    /**
     * Drops the coldest, of so much weight at most, yet one at least. @return how many; 0 when
     * there are none
     */
    int dropColdest(long weight);

    /** The same, for the sake of one that is to come under this key. */
    default int dropColdest(long weight, CacheKey newcomer) {
        return dropColdest(weight);
    }

    void dropAll();

    /** Of all entries. */
    long weight();

    void maximum(long weight);

    long count();
}
