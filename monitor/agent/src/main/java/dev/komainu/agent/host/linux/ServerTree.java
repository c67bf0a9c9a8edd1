package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A server's processes: the top process and all its descendants, found without a walk over the
 * host's process list. Processes in a container's own process namespace are included, because they
 * are addressed by their ids on the host. One thread at a time.
 */
final class ServerTree {

    /**
     * Maximum number of processes. A larger tree is an error of the agent or a fork bomb; the rest
     * is not counted.
     */
    private static final int MOST_PROCESSES = 4_096;

    /** Most processes whose state is read although they did not run, in one reading. */
    private static final int MOST_IDLE_STATES = 64;

    /** Most threads whose waits are read in one reading. */
    private static final int MOST_WAITS = 128;

    private final KernelReader reader;
    private final ProcFiles proc;
    private final int procDirectory;
    private final boolean filesBySize;
    private final TrackedProcess root;
    private final List<TrackedProcess> members = new ArrayList<>();
    private final Map<Long, TrackedProcess> byId = new HashMap<>();
    private final List<Long> newChildren = new ArrayList<>();
    private boolean updatedBefore;
    private long contextSwitches;
    private long readWriteCalls;
    private boolean hasReadWriteCalls;
    private long waitedNanos;
    private boolean hasWaitedNanos;
    private long readBytes;
    private long writtenBytes;
    private boolean hasBytes;

    private final BackendOwnership ownership;
    private int nextIdle;
    private int nextWait;

    ServerTree(
            KernelReader reader,
            ProcFiles proc,
            int procDirectory,
            long rootId,
            boolean filesBySize) {
        this.reader = reader;
        this.proc = proc;
        this.ownership = new BackendOwnership(reader);
        this.procDirectory = procDirectory;
        this.filesBySize = filesBySize;
        this.root = new TrackedProcess(reader, proc, procDirectory, rootId, filesBySize);
        members.add(root);
        byId.put(rootId, root);
    }

    private void add(TrackedProcess process) {
        members.add(process);
        byId.put(process.id, process);
    }

    /**
     * Reads every process.
     *
     * @param parents children by parent, used only with kernels that do not list them
     * @return null when the top process is gone
     */
    @Nullable
    ProcessTotals update(ProcessParents parents, long pageBytes) {
        int kept = 0;
        int processes = 0;
        long threads = 0;
        long pages = 0;
        long cpuNanos = 0;
        long kernelNanos = 0;
        int blocked = 0;
        long minorFaults = 0;
        long majorFaults = 0;
        TrackedProcess fullest = root;
        int idle = 0;
        boolean anyIdleStopped = false;
        // Children are appended to the list during the walk.
        for (int i = 0; i < members.size(); i++) {
            TrackedProcess process = members.get(i);
            TrackedProcess.Activity activity = process.update(updatedBefore);
            if (activity == TrackedProcess.Activity.GONE) {
                process.close();
                byId.remove(process.id);
                if (process == root) {
                    members.subList(kept, i + 1).clear();
                    return null;
                }
                continue;
            }
            members.set(kept++, process);
            if (activity == TrackedProcess.Activity.RAN) {
                addGrowth(process);
                findChildren(process, parents);
            } else if (process.threads == 1) {
                // One that was stopped is idle, too. All are read only if one of the first is.
                if (anyIdleStopped || isTurn(idle++)) {
                    process.readState();
                    anyIdleStopped |= process.stopped > 0;
                }
            }
            processes++;
            threads += process.threads;
            pages += process.residentPages;
            cpuNanos += process.cpuNanos;
            kernelNanos += process.kernelNanos;
            blocked += process.blocked;
            minorFaults += process.minorFaults;
            majorFaults += process.majorFaults;
            if (process.openFiles > fullest.openFiles) {
                fullest = process;
            }
        }
        members.subList(kept, members.size()).clear();
        updatedBefore = true;
        nextIdle = nextIdle + MOST_IDLE_STATES >= idle ? 0 : nextIdle + MOST_IDLE_STATES;
        long limit = fullest.openFiles < 0 ? -1 : fullest.openFilesLimit();
        return new ProcessTotals(
                processes,
                (int) Math.min(threads, Integer.MAX_VALUE),
                pages * pageBytes,
                cpuNanos,
                fullest.openFiles < 0 ? null : fullest.openFiles,
                limit < 0 ? null : limit,
                new ProcessTotals.Work(
                        minorFaults,
                        majorFaults,
                        contextSwitches,
                        hasReadWriteCalls ? readWriteCalls : null),
                new ProcessTotals.Waits(
                        kernelNanos,
                        hasWaitedNanos ? waitedNanos : null,
                        blocked,
                        hasBytes ? readBytes : null,
                        hasBytes ? writtenBytes : null),
                parts());
    }

    private boolean isTurn(int idle) {
        return idle >= nextIdle && idle < nextIdle + MOST_IDLE_STATES;
    }

    private ProcessTotals.Parts parts() {
        int stopped = 0;
        long busiest = 0;
        long busiestThread = 0;
        long runtime = 0;
        boolean java = false;
        long pauses = -1;
        for (TrackedProcess process : members) {
            stopped += process.stopped;
            busiest = Math.max(busiest, process.ownNanosGrowth);
            busiestThread = process.busiestThreadGrowth < 0 || busiestThread < 0
                    ? -1
                    : Math.max(busiestThread, process.busiestThreadGrowth);
            runtime += process.runtimeGrowth;
            java |= process.java;
            if (process.java && process.pauseNanos >= 0) {
                pauses = Math.max(0, pauses) + process.pauseNanos;
            }
        }
        return new ProcessTotals.Parts(
                stopped,
                busiest,
                busiestThread < 0 ? null : busiestThread,
                java ? runtime : null,
                pauses < 0 ? null : pauses);
    }

    /**
     * Samples what the threads of the last reading wait for, at most {@value #MOST_WAITS}, spread
     * evenly over all of them.
     */
    @Nullable
    BlockedThreads waits(SocketTable table, PoolConnections pools) {
        ThreadWaits waits = new ThreadWaits(reader, table, pools);
        int all = 0;
        for (TrackedProcess process : members) {
            all += process.listed();
        }
        int step = Math.max(1, (all + MOST_WAITS - 1) / MOST_WAITS);
        nextWait = (nextWait + 1) % step;
        int number = nextWait;
        for (TrackedProcess process : members) {
            boolean master = process == root && members.size() > 1;
            for (int i = 0; i < process.listed(); i++) {
                if (number++ % step == 0) {
                    waits.add(process, process.thread(i), master);
                }
            }
        }
        return waits.counts();
    }

    /** Counts the connections that the processes opened, except those to some addresses. */
    SocketTable.Backends backends(SocketTable table, Set<Endpoint> leftOut) {
        return ownership.count(table, members, leftOut);
    }

    boolean contains(long process) {
        return byId.containsKey(process);
    }

    private void addGrowth(TrackedProcess process) {
        contextSwitches += process.switchesGrowth;
        if (process.readWriteCallsGrowth >= 0) {
            hasReadWriteCalls = true;
            readWriteCalls += process.readWriteCallsGrowth;
        }
        if (process.waitedNanosGrowth >= 0) {
            hasWaitedNanos = true;
            waitedNanos += process.waitedNanosGrowth;
        }
        if (process.readBytesGrowth >= 0 && process.writtenBytesGrowth >= 0) {
            hasBytes = true;
            readBytes += process.readBytesGrowth;
            writtenBytes += process.writtenBytesGrowth;
        }
    }

    private void findChildren(TrackedProcess process, ProcessParents parents) {
        newChildren.clear();
        if (!process.children(this::onChild)) {
            parents.childrenOf(process.id).forEach(this::onChild);
        }
        for (Long id : newChildren) {
            if (members.size() < MOST_PROCESSES) {
                add(new TrackedProcess(reader, proc, procDirectory, id, filesBySize));
            }
        }
    }

    private void onChild(long child) {
        if (!byId.containsKey(child)) {
            newChildren.add(child);
        }
    }

    void close() {
        members.forEach(TrackedProcess::close);
        members.clear();
        byId.clear();
    }
}
