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
     * Returns the sums with the processes of another tree. A value that one of both lacks is that
     * of the other, except the CPU time of the busiest thread, which is then unknown.
     */
    public ProcessTotals plus(ProcessTotals other) {
        boolean fuller =
                other.openFiles != null && (openFiles == null || other.openFiles > openFiles);
        return new ProcessTotals(
                processes + other.processes,
                (int) Math.min((long) threads + other.threads, Integer.MAX_VALUE),
                residentBytes + other.residentBytes,
                cpuNanos + other.cpuNanos,
                fuller ? other.openFiles : openFiles,
                fuller ? other.openFilesLimit : openFilesLimit,
                work.plus(other.work),
                waits.plus(other.waits),
                parts.plus(other.parts));
    }

    /**
     * Returns the same sizes with the growth of the counters since an earlier reading of the same
     * tree.
     */
    public ProcessTotals since(ProcessTotals before) {
        return new ProcessTotals(
                processes,
                threads,
                residentBytes,
                Math.max(0, cpuNanos - before.cpuNanos),
                openFiles,
                openFilesLimit,
                new Work(
                        Math.max(0, work.minorFaults - before.work.minorFaults),
                        Math.max(0, work.majorFaults - before.work.majorFaults),
                        Math.max(0, work.contextSwitches - before.work.contextSwitches),
                        growth(before.work.readWriteCalls, work.readWriteCalls)),
                new Waits(
                        Math.max(0, waits.kernelNanos - before.waits.kernelNanos),
                        growth(before.waits.waitedNanos, waits.waitedNanos),
                        waits.blocked,
                        growth(before.waits.readBytes, waits.readBytes),
                        growth(before.waits.writtenBytes, waits.writtenBytes)),
                new Parts(
                        parts.stopped,
                        parts.processNanos,
                        parts.threadNanos,
                        parts.runtimeNanos,
                        growth(before.parts.pauseNanos, parts.pauseNanos)));
    }

    /** Returns the counters alone: what remains of a tree whose processes have ended. */
    public ProcessTotals ended() {
        return new ProcessTotals(
                0,
                0,
                0,
                cpuNanos,
                null,
                null,
                work,
                new Waits(
                        waits.kernelNanos,
                        waits.waitedNanos,
                        0,
                        waits.readBytes,
                        waits.writtenBytes),
                new Parts(0, 0, 0L, null, parts.pauseNanos));
    }

    private static @Nullable Long growth(@Nullable Long before, @Nullable Long now) {
        return now == null ? null : Long.valueOf(Math.max(0, now - (before == null ? 0 : before)));
    }

    private static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one + other;
    }

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
            @Nullable Long readWriteCalls) {

        Work plus(Work other) {
            return new Work(
                    minorFaults + other.minorFaults,
                    majorFaults + other.majorFaults,
                    contextSwitches + other.contextSwitches,
                    sum(readWriteCalls, other.readWriteCalls));
        }
    }

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
            @Nullable Long pauseNanos) {

        Parts plus(Parts other) {
            return new Parts(
                    stopped + other.stopped,
                    Math.max(processNanos, other.processNanos),
                    threadNanos == null || other.threadNanos == null
                            ? null
                            : Long.valueOf(Math.max(threadNanos, other.threadNanos)),
                    sum(runtimeNanos, other.runtimeNanos),
                    sum(pauseNanos, other.pauseNanos));
        }
    }

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
            @Nullable Long writtenBytes) {

        Waits plus(Waits other) {
            return new Waits(
                    kernelNanos + other.kernelNanos,
                    sum(waitedNanos, other.waitedNanos),
                    blocked + other.blocked,
                    sum(readBytes, other.readBytes),
                    sum(writtenBytes, other.writtenBytes));
        }
    }
}
