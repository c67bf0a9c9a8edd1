/**
 * The memory tier: the stored responses of all event loops within one fixed limit of bytes.
 *
 * <p>In: responses and parts to be stored, purges. Out: the entry of a key, and the evicted entries
 * ({@link dev.komainu.proxy.cache.tier.EvictionListener}). Threads: safe for every event loop; the
 * thread {@code komainu-pools} moves entries to their pools after a change of the prefixes with
 * priority. Start at {@link dev.komainu.proxy.cache.tier.MemoryCache}.
 *
 * <p>Decisions: docs/decisions/0034-cache-memory.md,
 * docs/decisions/0042-purge-by-stamps-and-an-index.md
 */
@NullMarked
package dev.komainu.proxy.cache.tier;

import org.jspecify.annotations.NullMarked;
