package dev.komainu.proxy.cache.tier;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.cache.memory.BodyMemory;
import org.jspecify.annotations.Nullable;

/**
 * Where stored answers go that memory has no room for any more. Told by whichever thread makes them
 * go; safe for all threads.
 *
 * <pre>
 *   memory ── leaving ──► here ── {@link MemoryCache#restore} ──► memory
 *                          ▲ outdated: what is here of this key is not to come back
 * </pre>
 */
public interface EvictionListener {

    /**
     * It leaves to make room, while nobody else can find it gone yet. To keep it, take a reference
     * ({@link StoredResponse#hold}). Must be short and must not call the cache.
     */
    void leaving(StoredResponse response);

    /** Likewise a URI's rule: without it the variants that leave with it would have no names. */
    void leaving(CacheKey uri, VaryRule rule);

    /**
     * Whatever is here under this key, or on its way here, is older than {@code newer}.
     *
     * @param key a URI's: its variants are outdated too
     * @param newer what came in its place, which may be on its way here itself; absent when it was
     *     dropped
     */
    void outdated(CacheKey key, @Nullable StoredRepresentation newer);

    /** Most bytes of {@link BodyMemory} that references here may keep from being used anew. */
    long mostHeldBytes();
}
