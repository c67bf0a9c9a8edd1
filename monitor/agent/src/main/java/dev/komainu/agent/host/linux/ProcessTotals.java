package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * Sums over a server's processes.
 *
 * @param cpuNanos since they began, ended children included, whose part is counted in hundredths of a second
 * @param openFiles the highest in one process; absent without permission
 * @param openFilesLimit that process's
 * @param minorFaults since they began, those of ended children included
 * @param majorFaults the same
 * @param contextSwitches since the tree was first looked at; what a process did after the last look at it is left out
 * @param readWriteCalls the same; absent without permission
 */
public record ProcessTotals(
        int processes,
        int threads,
        long residentBytes,
        long cpuNanos,
        @Nullable Long openFiles,
        @Nullable Long openFilesLimit,
        long minorFaults,
        long majorFaults,
        long contextSwitches,
        @Nullable Long readWriteCalls) {}
