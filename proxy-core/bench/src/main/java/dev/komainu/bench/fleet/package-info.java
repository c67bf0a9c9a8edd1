/**
 * Agents of many hosts for measurements of the central service: records like those of a real agent,
 * sent by the same reporter.
 *
 * <p>In: the address of the central service, a number of agents and servers, a duration. Out: one
 * JSON object on standard output. Thread: the records of all agents come from one thread. Start at
 * {@link dev.komainu.bench.fleet.FleetAgents}.
 *
 * <p>Decision: docs/decisions/0090-five-modules-between-client-and-server.md
 */
@NullMarked
package dev.komainu.bench.fleet;

import org.jspecify.annotations.NullMarked;
