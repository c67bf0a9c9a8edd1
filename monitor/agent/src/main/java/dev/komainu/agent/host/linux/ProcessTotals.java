package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * Sums over a server's processes.
 *
 * @param cpuNanos since they began, ended children included, whose part is counted in hundredths of
 *     a second
 * @param openFiles the highest in one process; absent without permission
 * @param openFilesLimit that process's
 * @param minorFaults since they began, those of ended children included
 * @param majorFaults the same
 * @param contextSwitches since the tree was first looked at; what a process did after the last look
 *     at it is left out
 * @param readWriteCalls the same; absent without permission
 * @param kernelNanos CPU time in the kernel since they began, in hundredths of a second
 * @param waitedNanos time threads were ready and waited for a CPU, since the tree was first looked
 *     at; absent where the kernel does not count it
 * @param blocked threads in uninterruptible sleep at the look
 * @param readBytes from storage, since the tree was first looked at; absent without permission
 * @param writtenBytes to storage; the same
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
        @Nullable Long readWriteCalls,
        long kernelNanos,
        @Nullable Long waitedNanos,
        int blocked,
        @Nullable Long readBytes,
        @Nullable Long writtenBytes) {}
