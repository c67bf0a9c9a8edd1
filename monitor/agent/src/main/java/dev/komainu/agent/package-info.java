/**
 * The agent: ENMA (packets outside) and rep2 (the kernel inside) in one process.
 *
 * <p>In: packets of the watched ports, the kernel's counters. Out: records, to the central service
 * or on standard output. Only the classes of this package use every other package; they connect the
 * packages and contain no logic of their own.
 *
 * <pre>
 *  thread            does
 *  komainu-capture   packets → connections → windows and connection records
 *  komainu-agent     discovery, host samples, the agent's own status
 *  komainu-batcher,  records → batches → central service (telemetry.report)
 *  komainu-sender
 * </pre>
 *
 * <p>Start at {@link dev.komainu.agent.MonitorAgent}, then {@link dev.komainu.agent.RunningAgent}.
 */
@NullMarked
package dev.komainu.agent;

import org.jspecify.annotations.NullMarked;
