/**
 * A centre that waits for the lease: it serves the console's files, and forwards all else to the
 * centre that judges.
 *
 * <p>In: the lease, requests of browsers, programs and parts. Out: the same requests at the holder
 * of the lease, with the client's address; 503 while nobody holds it. Threads: one virtual thread a
 * request; the starting thread tries to take the lease every half second.
 *
 * <p>Decision: docs/decisions/0125-one-judge.md
 */
@NullMarked
package dev.komainu.central.standby;

import org.jspecify.annotations.NullMarked;
