package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The processes of all watched servers and their pools. Two services of one server (ports 80 and
 * 443) are one tree, read once per reading. One thread at a time.
 */
public final class ServerTrees implements AutoCloseable {

    private static final byte[] OWN_FILES = NamedCounters.bytes("self/fd");

    private final KernelReader reader;
    private final ProcFiles proc;
    private final ProcessParents parents;
    private final BusiestPrograms programs;
    private final Map<Long, Entry> byRoot = new HashMap<>();
    private int procDirectory = KernelReader.NONE;
    private boolean filesBySize;
    private long round;

    private static final class Entry {
        final ServerTree tree;

        @Nullable
        ProcessTotals totals;

        long lastRound = -1;

        Entry(ServerTree tree) {
            this.tree = tree;
        }
    }

    ServerTrees(KernelReader reader, ProcFiles proc) {
        this.reader = reader;
        this.proc = proc;
        this.parents = new ProcessParents(proc);
        this.programs = new BusiestPrograms(reader, proc);
    }

    /** Begins a reading: each tree is read again at its next request. */
    public void begin() {
        round++;
        parents.clear();
        if (procDirectory < 0) {
            procDirectory = reader.open(proc.path("").toString());
            // Positive since Linux 6.2; 0 before, and with a copied /proc.
            filesBySize = reader.size(procDirectory, OWN_FILES) > 0;
        }
    }

    /** Returns the sums over the tree under {@code root}; null when that process is gone. */
    public @Nullable ProcessTotals of(long root, long pageBytes) {
        Entry entry = byRoot.computeIfAbsent(
                root,
                id -> new Entry(new ServerTree(reader, proc, procDirectory, id, filesBySize)));
        if (entry.lastRound != round) {
            entry.lastRound = round;
            entry.totals = entry.tree.update(parents, pageBytes);
        }
        return entry.totals;
    }

    /** Returns the programs of the host, read with the same buffer. */
    public BusiestPrograms programs() {
        return programs;
    }

    /**
     * Samples what the threads of the tree under {@code root} wait for; null when the tree was not
     * read, or its threads cannot be read.
     *
     * @param pools the tree's connections between server and pools
     */
    public @Nullable BlockedThreads waits(long root, SocketTable table, PoolConnections pools) {
        Entry entry = byRoot.get(root);
        return entry == null || entry.totals == null || !SystemCallKind.isKnown()
                ? null
                : entry.tree.waits(table, pools);
    }

    /**
     * Counts the connections that the tree under {@code root} opened; null when it is gone.
     *
     * @param leftOut remote addresses whose connections do not count
     */
    public SocketTable.@Nullable Backends backends(
            long root, SocketTable table, Set<Endpoint> leftOut) {
        Entry entry = byRoot.get(root);
        return entry == null || entry.totals == null ? null : entry.tree.backends(table, leftOut);
    }

    /** Reports whether a process belongs to the tree under {@code root}. */
    public boolean contains(long root, long process) {
        Entry entry = byRoot.get(root);
        return entry != null && entry.tree.contains(process);
    }

    /**
     * Ends a reading and closes the trees that were not requested in it or whose process is gone.
     */
    public void end() {
        for (Iterator<Entry> i = byRoot.values().iterator(); i.hasNext(); ) {
            Entry entry = i.next();
            if (entry.lastRound != round || entry.totals == null) {
                entry.tree.close();
                i.remove();
            }
        }
    }

    /**
     * Returns the read and write calls of all trees of this reading, since each was first read;
     * null when none is known.
     */
    public @Nullable Long readWriteCalls() {
        Long sum = null;
        for (Entry entry : byRoot.values()) {
            ProcessTotals totals = entry.totals;
            if (entry.lastRound == round
                    && totals != null
                    && totals.work().readWriteCalls() != null) {
                sum = (sum == null ? 0 : sum) + totals.work().readWriteCalls();
            }
        }
        return sum;
    }

    @Override
    public void close() {
        byRoot.values().forEach(entry -> entry.tree.close());
        byRoot.clear();
        reader.close(procDirectory);
        procDirectory = KernelReader.NONE;
    }
}
