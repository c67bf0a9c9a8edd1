package dev.komainu.proxy.cache;

/** An entry of the cache. */
public sealed interface CacheEntry permits StoredRepresentation, VaryRule, HitForMiss {

    /** Returns the bytes charged: memory runs and heap, key and the map's node included. */
    int weight();

    /** Returns the charged bytes on the heap. */
    int heapBytes();

    /** Releases the cache's references. */
    default void release() {}
}
