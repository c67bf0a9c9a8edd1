package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server's processes: the one at the top and everything it forked, found without walking the
 * host's whole process list, those in a container's own process namespace too, since they are asked
 * for by the numbers they have here. One thread at a time.
 */
final class ServerTree {

    /** A tree larger than this is a mistake of ours or a fork bomb; the rest is not counted. */
    private static final int MOST_PROCESSES = 4_096;

    private final KernelReader reader;
    private final int procDirectory;
    private final boolean filesBySize;
    private final TrackedProcess root;
    private final List<TrackedProcess> members = new ArrayList<>();
    private final Map<Long, TrackedProcess> byId = new HashMap<>();
    private final List<Long> born = new ArrayList<>();
    private boolean lookedBefore;
    private long contextSwitches;
    private long readWriteCalls;
    private boolean readWriteCallsTold;
    private long waitedNanos;
    private boolean waitedTold;
    private long readBytes;
    private long writtenBytes;
    private boolean bytesTold;

    ServerTree(KernelReader reader, int procDirectory, long rootId, boolean filesBySize) {
        this.reader = reader;
        this.procDirectory = procDirectory;
        this.filesBySize = filesBySize;
        this.root = new TrackedProcess(reader, procDirectory, rootId, filesBySize);
        members.add(root);
        byId.put(rootId, root);
    }

    private void add(TrackedProcess process) {
        members.add(process);
        byId.put(process.id, process);
    }

    /**
     * Looks at every process.
     *
     * @param parents children by parent, for kernels that do not list them; asked only then
     * @return null when the process at the top is gone
     */
    @Nullable
    ProcessTotals look(ProcessParents parents, long pageBytes) {
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
        // Children are added behind the list's end while it is walked.
        for (int i = 0; i < members.size(); i++) {
            TrackedProcess process = members.get(i);
            TrackedProcess.Look look = process.look(lookedBefore);
            if (look == TrackedProcess.Look.GONE) {
                process.close();
                byId.remove(process.id);
                if (process == root) {
                    members.subList(kept, i + 1).clear();
                    return null;
                }
                continue;
            }
            members.set(kept++, process);
            if (look == TrackedProcess.Look.RAN) {
                addGrowth(process);
                findChildren(process, parents);
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
        lookedBefore = true;
        long limit = fullest.openFiles < 0 ? -1 : fullest.openFilesLimit();
        return new ProcessTotals(
                processes,
                (int) Math.min(threads, Integer.MAX_VALUE),
                pages * pageBytes,
                cpuNanos,
                fullest.openFiles < 0 ? null : fullest.openFiles,
                limit < 0 ? null : limit,
                minorFaults,
                majorFaults,
                contextSwitches,
                readWriteCallsTold ? readWriteCalls : null,
                kernelNanos,
                waitedTold ? waitedNanos : null,
                blocked,
                bytesTold ? readBytes : null,
                bytesTold ? writtenBytes : null);
    }

    private void addGrowth(TrackedProcess process) {
        contextSwitches += process.switchesGrown;
        if (process.readWriteCallsGrown >= 0) {
            readWriteCallsTold = true;
            readWriteCalls += process.readWriteCallsGrown;
        }
        if (process.waitedNanosGrown >= 0) {
            waitedTold = true;
            waitedNanos += process.waitedNanosGrown;
        }
        if (process.readBytesGrown >= 0 && process.writtenBytesGrown >= 0) {
            bytesTold = true;
            readBytes += process.readBytesGrown;
            writtenBytes += process.writtenBytesGrown;
        }
    }

    private void findChildren(TrackedProcess process, ProcessParents parents) {
        born.clear();
        if (!process.children(this::notice)) {
            parents.childrenOf(process.id).forEach(this::notice);
        }
        for (Long id : born) {
            if (members.size() < MOST_PROCESSES) {
                add(new TrackedProcess(reader, procDirectory, id, filesBySize));
            }
        }
    }

    private void notice(long child) {
        if (!byId.containsKey(child)) {
            born.add(child);
        }
    }

    void close() {
        members.forEach(TrackedProcess::close);
        members.clear();
        byId.clear();
    }
}
