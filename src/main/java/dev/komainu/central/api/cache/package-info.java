/**
 * Caches of proxies over REST: {@code /caches}.
 *
 * <p>In: requests the guard let through. Out: what a proxy answers at its control endpoint, or a
 * problem that tells why it does not. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.cache.CachesController}.
 */
@NullMarked
package dev.komainu.central.api.cache;

import org.jspecify.annotations.NullMarked;
