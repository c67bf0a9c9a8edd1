package dev.komainu.proxy.cache;

/** What a key leads to. */
public sealed interface CacheEntry permits StoredResponse, VaryRule, PassMark {

    /** Bytes this entry is charged for: memory runs and heap, key and the map's own node included. */
    int weight();
}
