/**
 * The memory cache: what may be stored, how long it is fresh, and where its bytes lie.
 *
 * <p>In: request heads, response heads, body bytes. Out: stored responses and pure decisions about them. Deciding
 * ({@link dev.komainu.proxy.cache.Storability}, {@link dev.komainu.proxy.cache.Freshness},
 * {@link dev.komainu.proxy.cache.Reuse}) never looks at a clock of its own; keeping
 * ({@link dev.komainu.proxy.cache.MemoryCache}, {@link dev.komainu.proxy.cache.Entries}, {@link dev.komainu.proxy.cache.BodyMemory}) is safe for every event loop.
 * Where the cache is divided ({@link dev.komainu.proxy.cache.PartitionSettings}), two pools hold the entries
 * ({@link dev.komainu.proxy.cache.PartitionedEntries}, {@link dev.komainu.proxy.cache.Boundary}); {@code komainu-pools} is the thread that moves
 * them when other prefixes have priority. Start at {@link dev.komainu.proxy.cache.MemoryCache}.
 */
@NullMarked
package dev.komainu.proxy.cache;

import org.jspecify.annotations.NullMarked;
