/**
 * Dropping what is stored by order: of a URL, a prefix, tags, everything; at once or softly. In: a
 * {@link dev.komainu.intermediary.purge.PurgeOrder}. Out: what it hit. Thread: whoever gives the
 * order; an event loop hands long ones to a thread of this room. Start at
 * {@link dev.komainu.proxy.purge.Purger}.
 *
 * <p>Decisions: docs/decisions/0042-purge-by-stamps-and-an-index.md,
 * docs/decisions/0082-purges-reach-all.md
 */
@NullMarked
package dev.komainu.proxy.purge;

import org.jspecify.annotations.NullMarked;
