/**
 * The cache's entries and settings.
 *
 * <p>In: heads and bodies that may be stored
 * ({@link dev.komainu.intermediary.caching.Storability}). Out: entries that serve requests
 * ({@link dev.komainu.proxy.cache.StoredResponse}, {@link dev.komainu.proxy.cache.StoredParts}).
 * Threads: entries are safe for every event loop; their bytes are reference-counted. Package
 * {@code memory} has the bytes, {@code partition} selects the entries that stay, {@code tier} is
 * the cache. Start at {@link dev.komainu.proxy.cache.CacheEntry}.
 *
 * <p>Decisions: docs/decisions/0040-parts-and-the-cache-tests.md,
 * docs/decisions/0044-heads-beside-bodies.md, docs/decisions/0059-pools.md
 */
@NullMarked
package dev.komainu.proxy.cache;

import org.jspecify.annotations.NullMarked;
