package dev.komainu.central.caches;

import java.util.List;

/**
 * The result of a purge.
 *
 * @param matched stored answers that the order names
 * @param bytes what they are charged for
 * @param purged of those, dropped or made stale; 0 in a dry run
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
