/**
 * Orders to drop what is stored, as members of a cluster hand them to each other: the order, its
 * text, the proof of who gave it, and the log of those already carried out.
 *
 * <p>In: an order from an administrator or a member. Out: the order read and proven, or a refusal.
 * Any thread. Start at {@link dev.komainu.intermediary.purge.PurgeOrder}.
 *
 * <p>Decisions: docs/decisions/0082-purges-reach-all.md,
 * docs/decisions/0086-purges-within-grants.md
 */
@NullMarked
package dev.komainu.intermediary.purge;

import org.jspecify.annotations.NullMarked;
