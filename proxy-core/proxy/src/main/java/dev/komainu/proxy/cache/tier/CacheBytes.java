package dev.komainu.proxy.cache.tier;

/**
 * The bytes of the cache by use.
 *
 * @param bodies runs of stored bodies and heads
 * @param heap keys, index, tags and the map's nodes, as charged
 * @param moving runs of bodies being received, or dropped and still being sent
 */
public record CacheBytes(long bodies, long heap, long moving) {}
