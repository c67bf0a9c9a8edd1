package dev.komainu.proxy.cache.partition;

/**
 * One pool now.
 *
 * @param bytes what its entries weigh
 * @param maximumBytes what they may weigh now; the maxima of both pools are the whole
 * @param storedBytes of its bytes, those of stored answers
 * @param unreferencedBytes of these, those neither put there nor used since the present period
 *     began
 * @param entries answers, marks and rules
 * @param evictions entries that left for room, since start
 */
public record PoolFigures(
        long bytes,
        long maximumBytes,
        long storedBytes,
        long unreferencedBytes,
        long entries,
        long evictions) {}
