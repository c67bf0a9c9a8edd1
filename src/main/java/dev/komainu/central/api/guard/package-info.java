/**
 * The gate before the controllers: is this host name ours, who is asking, is it allowed.
 *
 * <p>In: a raw request. Out: the same request with a proven
 * {@link dev.komainu.central.access.Caller}, or a problem. Order:
 * {@link dev.komainu.central.api.guard.HostCheck} →
 * {@link dev.komainu.central.api.guard.CallerFilter} → the list of
 * {@link dev.komainu.central.api.guard.RouteScopes}. Thread: the request's own virtual thread. What
 * is not on the list is refused.
 *
 * <p>Decision: docs/decisions/0003-sessions-and-scopes.md
 */
@NullMarked
package dev.komainu.central.api.guard;

import org.jspecify.annotations.NullMarked;
