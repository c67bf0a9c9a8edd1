package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.BlockedThreads;
import dev.komainu.agent.host.linux.BusiestPrograms;
import dev.komainu.agent.host.linux.KernelFiles;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ListeningSocket;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessTotals;
import dev.komainu.agent.host.linux.SocketTable;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The details of watched servers that tell causes apart. The states of processes are known from
 * each reading; waits, connections and the other programs are read only while a state is in doubt.
 * One thread at a time.
 */
final class ServerDetails {

    /** Readings between two of the other programs; their CPU times are means over that time. */
    private static final int PROGRAMS_EVERY = 3;

    private final ProcFiles proc;
    private final KernelFiles files;
    private final ListenerTable table;
    private final SocketTable sockets = new SocketTable();
    private boolean inDoubt;
    private int programsTurn;
    private long nowNanos;

    ServerDetails(ProcFiles proc, KernelFiles files, ListenerTable table) {
        this.proc = proc;
        this.files = files;
        this.table = table;
    }

    /** Begins a reading. */
    void begin(boolean doubt, List<WatchedServer> watched, List<ListeningSocket> listeners) {
        inDoubt = doubt && !watched.isEmpty();
        nowNanos = System.nanoTime();
        if (inDoubt) {
            sockets.read(table, listeners);
            Set<String> paths = poolPaths(watched);
            if (!paths.isEmpty()) {
                sockets.addUnix(proc, paths);
            }
            if (programsTurn++ % PROGRAMS_EVERY == 0) {
                files.trees().programs().read(nowNanos);
            }
        }
    }

    private static Set<String> poolPaths(List<WatchedServer> watched) {
        Set<String> paths = new HashSet<>();
        for (WatchedServer server : watched) {
            for (ApplicationPool pool : server.pools()) {
                if (pool.path() != null) {
                    paths.add(pool.path());
                }
            }
        }
        return paths;
    }

    /** Returns the details of a server, over its own processes and those of its pools. */
    HostReading.Details of(WatchedServer server, ServerSums.@Nullable Sums processes) {
        Long root = server.processId();
        if (processes == null || root == null) {
            return new HostReading.Details(null, null, links(server, List.of()), null);
        }
        List<Long> roots = new ArrayList<>();
        roots.add(root);
        roots.addAll(processes.pools().keySet());
        return new HostReading.Details(
                states(server, root, processes),
                processes.all().parts(),
                links(server, roots),
                busiestOther(roots));
    }

    private HostSample.ThreadStates states(
            WatchedServer server, long root, ServerSums.Sums processes) {
        // A server whose pool is stopped stands still, and the other way round.
        double stopped = stoppedShare(root, processes.own());
        for (Map.Entry<Long, ProcessTotals> pool : processes.pools().entrySet()) {
            stopped = Math.max(stopped, stoppedShare(pool.getKey(), pool.getValue()));
        }
        BlockedThreads waits = inDoubt ? waits(server, root, processes.pools().keySet()) : null;
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

    private double stoppedShare(long root, ProcessTotals tree) {
        return files.groups().isFrozen(root)
                ? 1
                : Math.min(1, (double) tree.parts().stopped() / Math.max(1, tree.threads()));
    }

    private @Nullable BlockedThreads waits(WatchedServer server, long root, Set<Long> pools) {
        BlockedThreads all = files.trees().waits(root, sockets, PoolSides.ofServer(server.pools()));
        for (long pool : pools) {
            BlockedThreads more =
                    files.trees().waits(pool, sockets, PoolSides.ofPool(pool, server.pools()));
            if (more != null) {
                all = all == null ? more : all.plus(more);
            }
        }
        return all;
    }

    private static @Nullable Double share(int part, BlockedThreads waits) {
        return waits.working() == 0 ? null : Double.valueOf((double) part / waits.working());
    }

    private HostSample.@Nullable Links links(WatchedServer server, List<Long> roots) {
        if (!inDoubt) {
            return null;
        }
        SocketTable.Clients clients = sockets.clients(server.port());
        SocketTable.Backends backends = backends(server, roots);
        return new HostSample.Links(
                clients.connections(),
                clients.blocked(),
                backends == null ? null : backends.established(),
                backends == null ? null : backends.connecting(),
                backends == null ? null : backends.unacknowledged());
    }

    /**
     * Counts the connections to backends: those of the server, without the ones to its pools, and
     * those that its pools opened.
     *
     * @param roots the top processes, the server's own first; empty when it is gone
     */
    private SocketTable.@Nullable Backends backends(WatchedServer server, List<Long> roots) {
        Set<Endpoint> pools = PoolSides.ofServer(server.pools()).toPools();
        Set<Endpoint> upstreams = new HashSet<>(server.upstreams());
        upstreams.removeAll(pools);
        SocketTable.Backends backends = null;
        if (!server.upstreams().isEmpty()) {
            backends = sockets.backends(upstreams);
        } else if (!roots.isEmpty()) {
            backends = files.trees().backends(roots.getFirst(), sockets, pools);
        }
        for (int i = 1; i < roots.size(); i++) {
            SocketTable.Backends more = files.trees().backends(roots.get(i), sockets, upstreams);
            if (more != null) {
                backends = backends == null ? more : backends.plus(more);
            }
        }
        return backends;
    }

    private BusiestPrograms.@Nullable Program busiestOther(List<Long> roots) {
        return inDoubt
                ? files.trees()
                        .programs()
                        .busiest(
                                id -> roots.stream()
                                        .anyMatch(root -> files.trees().contains(root, id)),
                                nowNanos)
                : null;
    }
}
