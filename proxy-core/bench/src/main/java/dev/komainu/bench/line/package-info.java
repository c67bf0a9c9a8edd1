/**
 * The clients and the origin of the organizer's experiment: agents that request one object after
 * another, over the line or over HTTP/1, and the line's other end.
 *
 * <p>In: an address, a number of agents, a duration. Out: one JSON object on standard output.
 * Thread: all agents on one event loop. Start at {@link dev.komainu.bench.line.LineAgents}; the
 * experiment's description is in {@code .launcher/bench/organizer.sh}.
 *
 * <p>Decision: docs/decisions/0090-five-modules-between-client-and-server.md
 */
@NullMarked
package dev.komainu.bench.line;

import org.jspecify.annotations.NullMarked;
