/**
 * Caches of proxies over REST: {@code /caches}.
 *
 * <p>In: requests that passed the guard. Out: responses of a proxy's control endpoint, or a problem
 * with the cause of the failure. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.cache.CachesController}.
 */
@NullMarked
package dev.komainu.central.api.cache;

import org.jspecify.annotations.NullMarked;
