package dev.komainu.proxy.cache.tier;

/**
 * What the cache's memory is used for now, in bytes.
 *
 * @param bodies runs of stored bodies and heads
 * @param heap keys, index, tags and the map's nodes, as they are charged
 * @param moving runs of bodies that arrive, or were dropped and are still being sent
 */
public record CacheBytes(long bodies, long heap, long moving) {}
