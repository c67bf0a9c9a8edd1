/**
 * Connections to origins. In: an origin and an encoded request. Out: response heads and body bytes,
 * or one failure. Thread: each event loop has a pool of its own, so an origin connection lives on
 * its client's loop. Start at {@link dev.komainu.intermediary.upstream.OriginPool}.
 *
 * <p>Decision: docs/decisions/0021-origins-names-by-netty.md
 */
@NullMarked
package dev.komainu.intermediary.upstream;

import org.jspecify.annotations.NullMarked;
