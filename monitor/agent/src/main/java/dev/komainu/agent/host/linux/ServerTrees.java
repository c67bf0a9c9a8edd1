package dev.komainu.agent.host.linux;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes of all watched servers. Two services of one server (ports 80 and 443) are one tree,
 * read once a look. One thread at a time.
 */
public final class ServerTrees implements AutoCloseable {

    private static final byte[] OWN_FILES = NamedCounters.bytes("self/fd");

    private final KernelReader reader;
    private final ProcFiles proc;
    private final ProcessParents parents;
    private final Map<Long, Entry> byRoot = new HashMap<>();
    private int procDirectory = KernelReader.NONE;
    private boolean filesBySize;
    private long look;

    private static final class Entry {
        final ServerTree tree;

        @Nullable
        ProcessTotals totals;

        long seen = -1;

        Entry(ServerTree tree) {
            this.tree = tree;
        }
    }

    ServerTrees(KernelReader reader, ProcFiles proc) {
        this.reader = reader;
        this.proc = proc;
        this.parents = new ProcessParents(proc);
    }

    /** Begins a look: what is asked from now on is read anew, once. */
    public void begin() {
        look++;
        parents.forget();
        if (procDirectory < 0) {
            procDirectory = reader.open(proc.path("").toString());
            // Since Linux 6.2; 0 before, and nothing in a copied /proc.
            filesBySize = reader.size(procDirectory, OWN_FILES) > 0;
        }
    }

    /** Sums over the tree under {@code root}; null when that process is gone. */
    public @Nullable ProcessTotals of(long root, long pageBytes) {
        Entry entry = byRoot.computeIfAbsent(
                root, id -> new Entry(new ServerTree(reader, procDirectory, id, filesBySize)));
        if (entry.seen != look) {
            entry.seen = look;
            entry.totals = entry.tree.look(parents, pageBytes);
        }
        return entry.totals;
    }

    /** Ends a look: trees nobody asked for, and those that are gone, are let go. */
    public void end() {
        for (Iterator<Entry> i = byRoot.values().iterator(); i.hasNext(); ) {
            Entry entry = i.next();
            if (entry.seen != look || entry.totals == null) {
                entry.tree.close();
                i.remove();
            }
        }
    }

    /**
     * Read and write calls of all trees of this look together, since each was first looked at; null
     * where none tells.
     */
    public @Nullable Long readWriteCalls() {
        Long sum = null;
        for (Entry entry : byRoot.values()) {
            ProcessTotals totals = entry.totals;
            if (entry.seen == look && totals != null && totals.readWriteCalls() != null) {
                sum = (sum == null ? 0 : sum) + totals.readWriteCalls();
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
