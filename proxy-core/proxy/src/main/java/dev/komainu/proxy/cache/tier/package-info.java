/**
 * The memory tier: the stored responses of all event loops in one fixed budget of bytes.
 *
 * <p>In: responses and parts to be stored, purges. Out: what a key leads to, and what leaves for
 * want of room ({@link dev.komainu.proxy.cache.tier.EvictionListener}). Thread: safe for every
 * event loop; {@code komainu-pools} is the thread that moves entries to their pools when other
 * prefixes have priority. Start at {@link dev.komainu.proxy.cache.tier.MemoryCache}.
 *
 * <p>Decisions: docs/decisions/0034-cache-memory.md,
 * docs/decisions/0042-purge-by-stamps-and-an-index.md
 */
@NullMarked
package dev.komainu.proxy.cache.tier;

import org.jspecify.annotations.NullMarked;
