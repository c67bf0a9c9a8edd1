package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * Sums over a server's processes.
 *
 * @param cpuNanos CPU time since they started, including ended children, whose part is counted in
 *     hundredths of a second
 * @param openFiles the highest number in one process; absent without permission
 * @param openFilesLimit the limit of that process
 * @param work the kernel events caused by the processes
 * @param waits the waiting times and disk traffic of the threads
 * @param parts the busiest parts, and the stopped ones
 */
public record ProcessTotals(
        int processes,
        int threads,
        long residentBytes,
        long cpuNanos,
        @Nullable Long openFiles,
        @Nullable Long openFilesLimit,
        Work work,
        Waits waits,
        Parts parts) {
    /**
     * The kernel events caused by the processes.
     *
     * @param minorFaults since they started, including ended children
     * @param majorFaults since they started, including ended children
     * @param contextSwitches since the tree was first read; the activity of a process after its
     *     last reading is left out
     * @param readWriteCalls since the tree was first read; absent without permission
     */
    public record Work(
            long minorFaults,
            long majorFaults,
            long contextSwitches,
            @Nullable Long readWriteCalls) {}

    /**
     * The busiest parts of the server since the last reading, and the stopped ones.
     *
     * @param stopped threads stopped by a signal or a debugger
     * @param processNanos CPU time of the busiest process
     * @param threadNanos CPU time of the busiest thread; absent when the kernel does not count it
     * @param runtimeNanos CPU time of the runtime's own threads; absent without such a runtime
     * @param pauseNanos time of collections that stop all threads, since the start of the runtime;
     *     absent when it is not published
     */
    public record Parts(
            int stopped,
            long processNanos,
            @Nullable Long threadNanos,
            @Nullable Long runtimeNanos,
            @Nullable Long pauseNanos) {}

    /**
     * The waiting times and disk traffic of the threads.
     *
     * @param kernelNanos CPU time in the kernel since they started, in hundredths of a second
     * @param waitedNanos time in which threads were ready and waited for a CPU, since the tree was
     *     first read; absent when the kernel does not count it
     * @param blocked threads in uninterruptible sleep at the reading
     * @param readBytes bytes read from storage since the tree was first read; absent without
     *     permission
     * @param writtenBytes bytes written to storage since the tree was first read; absent without
     *     permission
     */
    public record Waits(
            long kernelNanos,
            @Nullable Long waitedNanos,
            int blocked,
            @Nullable Long readBytes,
            @Nullable Long writtenBytes) {}
}
