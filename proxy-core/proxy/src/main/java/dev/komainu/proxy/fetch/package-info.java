/**
 * Fetching from origins, once for everybody who waits.
 *
 * <p>In: a plan (request, origin, key). Out: one answer or one failure, told to every waiter: a
 * fill that is read while it grows, a stored response, a release ("look again for yourself"), or,
 * for the leader of an answer that may not be stored, the bytes themselves. Thread: the leading
 * exchange's event loop; each waiter is told on its own. Start at
 * {@link dev.komainu.proxy.fetch.InFlightFetches}.
 *
 * <p>Decisions: docs/decisions/0046-herds-wait-for-the-first-head.md,
 * docs/decisions/0081-who-owns-an-object.md
 */
@NullMarked
package dev.komainu.proxy.fetch;

import org.jspecify.annotations.NullMarked;
