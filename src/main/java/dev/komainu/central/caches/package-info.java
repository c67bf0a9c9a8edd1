/**
 * The direct requests to Komainu's proxies: queries of their contents, and purge orders.
 *
 * <p>In: orders of callers, and a file with each proxy's control endpoint and token. Out: the
 * proxy's response. Thread: the caller's, blocked until the proxy responds. A control address from
 * a proxy's own report is never used: a client that may send records could then collect tokens.
 *
 * <p>Start at {@link dev.komainu.central.caches.ProxyControl}.
 *
 * <p>Decision: docs/decisions/0030-orders-to-proxies.md
 */
@NullMarked
package dev.komainu.central.caches;

import org.jspecify.annotations.NullMarked;
