package dev.komainu.proxy.cache.tier;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.cache.memory.BodyMemory;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of stored responses that are evicted from memory. Called by the evicting thread;
 * thread-safe.
 *
 * <pre>
 *   memory ── onEviction ──► here ── {@link MemoryCache#restore} ──► memory
 *              ▲ onOutdated: responses of this key must not come back
 * </pre>
 */
public interface EvictionListener {

    /**
     * Handles a response evicted to make room, before other threads can miss it. To keep it, the
     * implementation must retain it ({@link StoredResponse#retain}). Must be short and must not
     * call the cache.
     */
    void onEviction(StoredResponse response);

    /**
     * Handles the eviction of a URI's rule: without the rule, the variants evicted with it would
     * have no names.
     */
    void onEviction(CacheKey uri, VaryRule rule);

    /**
     * Handles the replacement or removal of a response: all responses kept or being received here
     * under this key are older than {@code newer}.
     *
     * @param key a URI's key: its variants are outdated too
     * @param newer the replacement, which may be on its way here itself; null after a removal
     */
    void onOutdated(CacheKey key, @Nullable StoredRepresentation newer);

    /**
     * Returns the limit of the {@link BodyMemory} bytes whose reuse references of this listener may
     * delay.
     */
    long maxRetainedBytes();
}
