/**
 * The cache's entries by key: the eviction policies, and the two pools of a divided cache.
 *
 * <p>In: entries under their keys ({@link dev.komainu.proxy.cache.partition.CacheEntries}). Out:
 * the entry of a key, and one notification for each entry that left. Threads: safe for every event
 * loop; a hit takes no lock. Where the cache is divided
 * ({@link dev.komainu.proxy.cache.PartitionSettings}), {@code PoolBoundary} determines the pools'
 * sizes. Start at {@link dev.komainu.proxy.cache.partition.PartitionedEntries}.
 *
 * <p>Decisions: docs/decisions/0045-two-policies.md, docs/decisions/0059-pools.md,
 * docs/decisions/0066-a-door-for-the-protected-pool.md
 */
@NullMarked
package dev.komainu.proxy.cache.partition;

import org.jspecify.annotations.NullMarked;
