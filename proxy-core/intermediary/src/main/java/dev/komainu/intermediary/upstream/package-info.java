/**
 * Connections to origins. In: an origin and an encoded request. Out: response heads and body bytes,
 * or one failure. Thread: each event loop has its own pool, so an origin connection runs on the
 * event loop of its client. Start at {@link dev.komainu.intermediary.upstream.OriginPool}.
 *
 * <p>Decision: docs/decisions/0021-origins-names-by-netty.md
 */
@NullMarked
package dev.komainu.intermediary.upstream;

import org.jspecify.annotations.NullMarked;
