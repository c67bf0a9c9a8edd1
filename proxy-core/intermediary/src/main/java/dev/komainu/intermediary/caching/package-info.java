/**
 * The rules of a shared cache (RFC 9111), without a store: storability, freshness, reuse,
 * conditions and ranges (RFC 9110 sections 13 and 14).
 *
 * <p>In: request and response heads. Out: pure decisions about them; none reads a clock. Any
 * thread. Start at {@link dev.komainu.intermediary.caching.Freshness}, then
 * {@link dev.komainu.intermediary.caching.Storability} and
 * {@link dev.komainu.intermediary.caching.Reuse}.
 *
 * <p>Decision: docs/decisions/0040-parts-and-the-cache-tests.md
 */
@NullMarked
package dev.komainu.intermediary.caching;

import org.jspecify.annotations.NullMarked;
