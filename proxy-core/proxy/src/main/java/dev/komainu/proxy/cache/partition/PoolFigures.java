package dev.komainu.proxy.cache.partition;

/**
 * The state of one pool.
 *
 * @param bytes weight of its entries
 * @param maximumBytes current limit of {@code bytes}; the maxima of both pools are the total
 * @param storedBytes weight of the stored responses among the entries
 * @param unreferencedBytes weight of the responses neither stored nor used since the current period
 *     started
 * @param entries number of responses, marks and rules
 * @param evictions entries evicted for room, since start
 */
public record PoolFigures(
        long bytes,
        long maximumBytes,
        long storedBytes,
        long unreferencedBytes,
        long entries,
        long evictions) {}
