package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.BlockedThreads;
import dev.komainu.agent.host.linux.BusiestPrograms;
import dev.komainu.agent.host.linux.KernelFiles;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ListeningSocket;
import dev.komainu.agent.host.linux.ProcessTotals;
import dev.komainu.agent.host.linux.SocketTable;
import dev.komainu.telemetry.record.HostSample;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The details of watched servers that tell causes apart. The states of processes are known from
 * each reading; waits, connections and the other programs are read only while a state is in doubt.
 * One thread at a time.
 */
final class ServerDetails {

    /** Readings between two of the other programs; their CPU times are means over that time. */
    private static final int PROGRAMS_EVERY = 3;

    private final KernelFiles files;
    private final ListenerTable table;
    private final SocketTable sockets = new SocketTable();
    private boolean inDoubt;
    private int programsTurn;
    private long nowNanos;

    ServerDetails(KernelFiles files, ListenerTable table) {
        this.files = files;
        this.table = table;
    }

    /** Begins a reading. */
    void begin(boolean doubt, List<WatchedServer> watched, List<ListeningSocket> listeners) {
        inDoubt = doubt && !watched.isEmpty();
        nowNanos = System.nanoTime();
        if (inDoubt) {
            sockets.read(table, listeners);
            if (programsTurn++ % PROGRAMS_EVERY == 0) {
                files.trees().programs().read(nowNanos);
            }
        }
    }

    HostReading.Details of(WatchedServer server, @Nullable ProcessTotals tree) {
        Long root = server.processId();
        if (tree == null || root == null) {
            return new HostReading.Details(null, null, links(server, null), null);
        }
        return new HostReading.Details(
                states(root, tree), tree.parts(), links(server, root), busiestOther(root));
    }

    private HostSample.ThreadStates states(long root, ProcessTotals tree) {
        double stopped = files.groups().isFrozen(root)
                ? 1
                : Math.min(1, (double) tree.parts().stopped() / Math.max(1, tree.threads()));
        BlockedThreads waits = inDoubt ? files.trees().waits(root, sockets) : null;
        if (waits == null) {
            return new HostSample.ThreadStates(stopped, null, null, null, null, null, null);
        }
        return new HostSample.ThreadStates(
                stopped,
                waits.working(),
                share(waits.clientWrite(), waits),
                share(waits.clientRead(), waits),
                share(waits.backend(), waits),
                share(waits.lock(), waits),
                share(waits.sleep(), waits));
    }

    private static @Nullable Double share(int part, BlockedThreads waits) {
        return waits.working() == 0 ? null : Double.valueOf((double) part / waits.working());
    }

    private HostSample.@Nullable Links links(WatchedServer server, @Nullable Long root) {
        if (!inDoubt) {
            return null;
        }
        SocketTable.Clients clients = sockets.clients(server.port());
        SocketTable.Backends backends = server.upstreams().isEmpty()
                ? root == null ? null : files.trees().backends(root, sockets)
                : sockets.backends(new HashSet<>(server.upstreams()));
        return new HostSample.Links(
                clients.connections(),
                clients.blocked(),
                backends == null ? null : backends.established(),
                backends == null ? null : backends.connecting(),
                backends == null ? null : backends.unacknowledged());
    }

    private BusiestPrograms.@Nullable Program busiestOther(long root) {
        return inDoubt
                ? files.trees().programs().busiest(id -> files.trees().contains(root, id), nowNanos)
                : null;
    }
}
