/**
 * What this service asks and tells our proxies directly: their contents, and what they shall drop.
 *
 * <p>In: orders of callers, and a file that says where each proxy takes orders and by which token.
 * Out: what the proxy answered. Thread: the caller's, for as long as the proxy takes. A proxy's own
 * word about where it takes orders is never followed: whoever may send records could then collect
 * tokens.
 *
 * <p>Start at {@link dev.komainu.central.caches.ProxyControl}.
 *
 * <p>Decision: docs/decisions/0030-orders-to-proxies.md
 */
@NullMarked
package dev.komainu.central.caches;

import org.jspecify.annotations.NullMarked;
