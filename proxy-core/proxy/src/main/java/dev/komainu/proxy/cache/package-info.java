/**
 * The memory cache: where stored responses lie and which of them stay.
 *
 * <p>In: heads and body bytes that may be stored ({@link dev.komainu.intermediary.caching.Storability}). Out: stored responses.
 * Keeping ({@link dev.komainu.proxy.cache.MemoryCache}, {@link dev.komainu.proxy.cache.Entries},
 * {@link dev.komainu.proxy.cache.BodyMemory}) is safe for every event loop. Where the cache is divided
 * ({@link dev.komainu.proxy.cache.PartitionSettings}), two pools hold the entries
 * ({@link dev.komainu.proxy.cache.PartitionedEntries}, {@link dev.komainu.proxy.cache.Boundary}); {@code komainu-pools} is the thread
 * that moves them when other prefixes have priority. Start at {@link dev.komainu.proxy.cache.MemoryCache}.
 */
@NullMarked
package dev.komainu.proxy.cache;

import org.jspecify.annotations.NullMarked;
