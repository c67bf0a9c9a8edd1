/**
 * One request and its response, from the first byte read to the last byte written.
 *
 * <p>In: bytes of a client. Out: bytes to it, and one line in the tally. Thread: the client's event
 * loop, always; events of other loops (another loop's fetch) arrive as tasks on it. Start at
 * {@link dev.komainu.proxy.exchange.Exchange}, which begins with the list of its steps.
 *
 * <p>Decisions: docs/decisions/0036-http2-over-the-same-exchanges.md,
 * docs/decisions/0043-reload-hands-policies-to-loops.md, docs/decisions/0060-sweeps.md
 */
@NullMarked
package dev.komainu.proxy.exchange;

import org.jspecify.annotations.NullMarked;
