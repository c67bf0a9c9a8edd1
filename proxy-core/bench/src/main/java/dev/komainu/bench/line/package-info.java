/**
 * What the organizer's experiment runs: agents that ask one object after the other, over the line
 * or over HTTP/1, and the line's answering end. In: an address, a number of agents, a time. Out:
 * one JSON object on standard output. Thread: all agents on one event loop. Start at
 * {@link dev.komainu.bench.line.LineAgents}; the story of the experiment stands in
 * {@code .launcher/bench/organizer.sh}.
 *
 * <p>Decision: docs/decisions/0090-five-modules-between-client-and-server.md
 */
@NullMarked
package dev.komainu.bench.line;

import org.jspecify.annotations.NullMarked;
