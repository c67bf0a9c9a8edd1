/**
 * One request and its answer, from the first byte read to the last byte written.
 *
 * <p>In: bytes of a client. Out: bytes to it, and one line in the tally. Thread: the client's event
 * loop, always; what happens elsewhere (another loop's fetch) arrives as a task on it. Start at
 * {@link dev.komainu.proxy.exchange.Exchange}, whose steps stand as one list at its head.
 */
@NullMarked
package dev.komainu.proxy.exchange;

import org.jspecify.annotations.NullMarked;
