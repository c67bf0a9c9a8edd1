package dev.komainu.central.caches;

import java.util.List;

/**
 * The result of a purge.
 *
 * @param matched stored responses that the order names
 * @param bytes their size in the cache's accounting
 * @param purged number of those that were deleted or made stale; 0 in a dry run
 * @param samples up to ten URLs
 */
public record PurgeResult(
        long matched,
        long bytes,
        long purged,
        List<String> samples,
        boolean dryRun,
        boolean soft,
        long tookMicros) {}
