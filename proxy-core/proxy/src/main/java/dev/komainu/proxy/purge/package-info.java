/**
 * Purges of stored responses: by URL, prefix, tags, or of everything; hard or soft.
 *
 * <p>In: a {@link dev.komainu.intermediary.purge.PurgeOrder}. Out: a report of the matched
 * responses. Threads: the caller's; an event loop passes long orders to a thread of this package.
 * Start at {@link dev.komainu.proxy.purge.Purger}.
 *
 * <p>Decisions: docs/decisions/0042-purge-by-stamps-and-an-index.md,
 * docs/decisions/0082-purges-reach-all.md
 */
@NullMarked
package dev.komainu.proxy.purge;

import org.jspecify.annotations.NullMarked;
