package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import org.jspecify.annotations.Nullable;

/** Restores stored responses from the disk into memory. Thread-safe. */
interface Restorer {

    /**
     * Returns the name of a response that is valid after a restart; null for a variant without a
     * rule.
     */
    @Nullable
    CacheKey nameOf(StoredResponse response);

    /** Reports whether requests wait for the disk. */
    boolean isBusy();

    /**
     * Restores one response on the calling thread.
     *
     * @param name a URI, or a URI followed by the values that select a variant, as returned by
     *     {@link #nameOf}
     * @return whether the response is in memory now
     */
    boolean restore(CacheKey name);
}
