package dev.komainu.proxy.cache;

/** What a key leads to. */
public sealed interface CacheEntry permits StoredRepresentation, VaryRule, HitForMiss {

    /**
     * Bytes this entry is charged for: memory runs and heap, key and the map's own node included.
     */
    int weight();

    /** Of these, bytes on the heap. */
    int heapBytes();

    /** The cache lets go of it. */
    default void release() {}
}
