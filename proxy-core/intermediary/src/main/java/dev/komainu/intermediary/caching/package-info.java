/**
 * The rules of a shared cache (RFC 9111), without a place to store anything: what may be stored,
 * how long it is fresh, when it may be used again, which conditions and ranges it answers (RFC 9110
 * sections 13 and 14).
 *
 * <p>In: request and response heads. Out: pure decisions about them; none looks at a clock of its
 * own. Any thread. Start at {@link dev.komainu.intermediary.caching.Freshness}, then
 * {@link dev.komainu.intermediary.caching.Storability} and
 * {@link dev.komainu.intermediary.caching.Reuse}.
 *
 * <p>Decision: docs/decisions/0040-parts-and-the-cache-tests.md
 */
@NullMarked
package dev.komainu.intermediary.caching;

import org.jspecify.annotations.NullMarked;
