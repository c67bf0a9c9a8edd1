/**
 * Stored responses as the cache holds them, and the settings of the cache.
 *
 * <p>In: heads and body bytes that may be stored
 * ({@link dev.komainu.intermediary.caching.Storability}). Out: entries by which a request is
 * answered ({@link dev.komainu.proxy.cache.StoredResponse},
 * {@link dev.komainu.proxy.cache.StoredParts}). Thread: entries are safe for every event loop;
 * their bytes are counted by references. Bytes lie in {@code memory}, {@code partition} decides
 * which entries stay, {@code tier} is the cache. Start at
 * {@link dev.komainu.proxy.cache.CacheEntry}.
 *
 * <p>Decisions: docs/decisions/0040-parts-and-the-cache-tests.md,
 * docs/decisions/0044-heads-beside-bodies.md, docs/decisions/0059-pools.md
 */
@NullMarked
package dev.komainu.proxy.cache;

import org.jspecify.annotations.NullMarked;
