/**
 * The guard before the controllers: checks the host name, authenticates the caller and authorizes
 * the request.
 *
 * <p>In: a raw request. Out: the same request with an authenticated
 * {@link dev.komainu.central.access.Caller}, or a problem. Order:
 * {@link dev.komainu.central.api.guard.HostCheck} →
 * {@link dev.komainu.central.api.guard.CallerFilter} → the list of
 * {@link dev.komainu.central.api.guard.RouteScopes}. Thread: the request's own virtual thread. A
 * route that is not on the list is refused.
 *
 * <p>Decision: docs/decisions/0003-sessions-and-scopes.md
 */
@NullMarked
package dev.komainu.central.api.guard;

import org.jspecify.annotations.NullMarked;
