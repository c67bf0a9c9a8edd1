/**
 * The access log: one line for each finished exchange.
 *
 * <p>In: the account of an exchange, on its event loop. Out: a file that is rotated. Threads: an
 * event loop writes lines into a ring of its own and never waits; one thread moves all rings to the
 * file. Lines that do not fit are dropped and counted. Start at
 * {@link dev.komainu.proxy.log.AccessLog}.
 *
 * <p>Decision: docs/decisions/0095-json-reader-and-writer.md
 */
@NullMarked
package dev.komainu.proxy.log;

import org.jspecify.annotations.NullMarked;
