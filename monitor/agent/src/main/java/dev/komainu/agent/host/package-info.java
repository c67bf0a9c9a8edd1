/**
 * rep2, the inside monitor: the kernel's counters of this host, every ten seconds (thesis ch. 4).
 *
 * <p>In: the system's counters through {@link dev.komainu.agent.host.HostProbe}, and the list of
 * watched servers. Out: one {@link dev.komainu.telemetry.record.HostSample} per interval. The
 * package writes nothing on the host. Thread: the one that calls
 * {@link dev.komainu.agent.host.HostSampler#sample}; a sample costs about 2 ms of CPU.
 *
 * <p>Start at {@link dev.komainu.agent.host.HostSampler}.
 *
 * <p>Decisions: docs/decisions/0010-what-it-stands-on.md,
 * docs/decisions/0049-waits-by-littles-law.md, docs/decisions/0107-pools-of-a-server.md
 */
@NullMarked
package dev.komainu.agent.host;

import org.jspecify.annotations.NullMarked;
