/**
 * Fetching from origins, once for all exchanges that wait.
 *
 * <p>In: a plan (request, origin, key). Out: one response or one failure, reported to every waiter:
 * a fill that is read while it grows, a stored response, a release (the waiter repeats its lookup),
 * or the bytes themselves. Only the leader of a response that is not stored receives the bytes.
 * Thread: the leading exchange's event loop; each waiter is notified on its own loop. Start at
 * {@link dev.komainu.proxy.fetch.InFlightFetches}.
 *
 * <p>Decisions: docs/decisions/0046-herds-wait-for-the-first-head.md,
 * docs/decisions/0081-who-owns-an-object.md
 */
@NullMarked
package dev.komainu.proxy.fetch;

import org.jspecify.annotations.NullMarked;
