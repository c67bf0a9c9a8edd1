/**
 * Orders to drop stored responses, as members of a cluster send them to each other: the order, its
 * text, the proof of its issuer, and the log of the orders carried out.
 *
 * <p>In: an order from an administrator or a member. Out: the order parsed and proven, or a
 * refusal. Any thread. Start at {@link dev.komainu.intermediary.purge.PurgeOrder}.
 *
 * <p>Decisions: docs/decisions/0082-purges-reach-all.md,
 * docs/decisions/0086-purges-within-grants.md
 */
@NullMarked
package dev.komainu.intermediary.purge;

import org.jspecify.annotations.NullMarked;
