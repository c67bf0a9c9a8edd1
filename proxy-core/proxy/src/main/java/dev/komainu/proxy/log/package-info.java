/**
 * The access log: one line for each exchange that ended. In: what an exchange's account tells, on
 * its event loop. Out: a file that is rotated. Threads: a loop writes lines into a ring of its own
 * bytes and never waits; one thread moves all rings to the file. What does not fit is dropped and
 * counted. Start at {@link dev.komainu.proxy.log.AccessLog}.
 *
 * <p>Decision: docs/decisions/0095-json-reader-and-writer.md
 */
@NullMarked
package dev.komainu.proxy.log;

import org.jspecify.annotations.NullMarked;
