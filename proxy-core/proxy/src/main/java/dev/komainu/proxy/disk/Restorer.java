package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import org.jspecify.annotations.Nullable;

/** Brings stored responses back into memory. Any thread. */
interface Restorer {

    /**
     * The name under which a response can be found here after a restart; absent for a variant whose
     * rule is gone.
     */
    @Nullable
    CacheKey nameOf(StoredResponse response);

    /** Whether requests wait for the disk. */
    boolean isBusy();

    /**
     * Brings one back, on this thread.
     *
     * @param name a URI, or one with what selects a variant behind it, as {@link #nameOf} tells it
     * @return whether it came
     */
    boolean bring(CacheKey name);
}
