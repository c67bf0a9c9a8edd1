/**
 * The entries by key and which of them stay: the policies, and the two pools of a divided cache.
 *
 * <p>In: entries under their keys ({@link dev.komainu.proxy.cache.partition.CacheEntries}). Out:
 * what a key leads to, and each entry that left, once. Thread: safe for every event loop; a hit
 * takes no lock. Where the cache is divided ({@link dev.komainu.proxy.cache.PartitionSettings}),
 * {@code PoolBoundary} says how large each pool is. Start at
 * {@link dev.komainu.proxy.cache.partition.PartitionedEntries}.
 *
 * <p>Decisions: docs/decisions/0045-two-policies.md, docs/decisions/0059-pools.md,
 * docs/decisions/0066-a-door-for-the-protected-pool.md
 */
@NullMarked
package dev.komainu.proxy.cache.partition;

import org.jspecify.annotations.NullMarked;
