package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.Listener;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The web servers of this host as they come and go. A look costs two netlink questions while nothing changed; when a
 * listening socket appeared or went, the processes behind it are searched and its settings read. One thread at a time.
 */
public final class Discovery implements AutoCloseable {

    private final String node;
    private final DiscoverySettings settings;
    private final ProcFiles proc;
    private final ListenerTable listeners;
    private final SocketOwners owners;
    private final ServerSettings serverSettings;
    private Set<Listening> lastTable = Set.of();
    private Map<Integer, LocalServer> known = Map.of();
    private Map<Long, Owner> ownerOf = Map.of();

    /** What a listener is, apart from its queue's present length. */
    private record Listening(InetAddress address, int port, long inode) {}

    /** A process named for good: ids are used again, start times with them are not. */
    private record Owner(long id, long startTicks) {}

    /**
     * What a look found.
     *
     * @param servers all there are now
     * @param changed of those, new ones and ones with other values than before
     * @param gone ids of servers that no longer listen
     */
    public record Look(List<LocalServer> servers, List<LocalServer> changed, List<String> gone) {
        public Look {
            servers = List.copyOf(servers);
            changed = List.copyOf(changed);
            gone = List.copyOf(gone);
        }

        /** Whether nothing came, went or changed. */
        public boolean isQuiet() {
            return changed.isEmpty() && gone.isEmpty();
        }
    }

    public Discovery(String node, DiscoverySettings settings) {
        this(node, settings, ProcFiles.ofThisHost(), true);
    }

    /** @param askKernel false with a copied {@code /proc} */
    Discovery(String node, DiscoverySettings settings, ProcFiles proc, boolean askKernel) {
        this.node = node;
        this.settings = settings;
        this.proc = proc;
        this.listeners = new ListenerTable(proc, askKernel);
        this.owners = new SocketOwners(proc);
        this.serverSettings = new ServerSettings(proc, new ProgramOutput());
    }

    /** Looks at the listening sockets; goes further only where they changed. Never throws. */
    public Look look() {
        return look(false);
    }

    /** Looks, and reads every server's settings again. */
    public Look lookAgain() {
        return look(true);
    }

    private Look look(boolean readAgain) {
        List<Listener> table = listeners.read();
        Set<Listening> now = new HashSet<>();
        for (Listener listener : table) {
            if (settings.admits(listener.local().port())) {
                now.add(new Listening(
                        listener.local().address(), listener.local().port(), listener.inode()));
            }
        }
        if (!readAgain && now.equals(lastTable) && ownersLive()) {
            return new Look(List.copyOf(known.values()), List.of(), List.of());
        }
        findOwners(now);
        Map<Integer, LocalServer> servers = read(now);
        List<LocalServer> changed = new ArrayList<>();
        servers.forEach((port, server) -> {
            if (!server.equals(known.get(port))) {
                changed.add(server);
            }
        });
        List<String> gone = new ArrayList<>();
        known.forEach((port, server) -> {
            if (!servers.containsKey(port)) {
                gone.add(server.service());
            }
        });
        lastTable = now;
        known = servers;
        return new Look(List.copyOf(servers.values()), changed, gone);
    }

    /** Whether the processes found behind the sockets are still the same ones (a binary upgrade keeps the sockets). */
    private boolean ownersLive() {
        return ownerOf.values().stream().distinct().allMatch(this::isLive);
    }

    private boolean isLive(Owner owner) {
        ProcessStat stat = ProcessStat.parse(proc.read(owner.id() + "/stat"));
        return stat != null && stat.startTicks() == owner.startTicks();
    }

    private void findOwners(Set<Listening> now) {
        Map<Long, Owner> found = new HashMap<>();
        Set<Long> missing = new HashSet<>();
        for (Listening listening : now) {
            Owner owner = ownerOf.get(listening.inode());
            if (owner != null && isLive(owner)) {
                found.put(listening.inode(), owner);
            } else {
                missing.add(listening.inode());
            }
        }
        if (!missing.isEmpty()) {
            owners.of(missing).forEach((inode, id) -> {
                ProcessStat stat = ProcessStat.parse(proc.read(id + "/stat"));
                if (stat != null) {
                    found.put(inode, new Owner(id, stat.startTicks()));
                }
            });
        }
        ownerOf = found;
    }

    private Map<Integer, LocalServer> read(Set<Listening> now) {
        Map<Integer, List<Listening>> byPort = new TreeMap<>();
        now.stream()
                .sorted(Comparator.comparingLong(Listening::inode))
                .forEach(l -> byPort.computeIfAbsent(l.port(), port -> new ArrayList<>())
                        .add(l));
        Map<Long, ServerProcess> processes = new HashMap<>();
        List<InetAddress> own = HostAddresses.now();
        Map<Integer, LocalServer> servers = new TreeMap<>();
        byPort.forEach((port, sockets) -> {
            ServerProcess process = process(sockets, processes);
            ServerKind kind = process == null ? ServerKind.OTHER : ServerKind.of(process);
            if (isWatched(port, kind, process)) {
                servers.put(port, server(port, sockets, kind, process, own));
            }
        });
        return servers;
    }

    private @Nullable ServerProcess process(List<Listening> sockets, Map<Long, ServerProcess> processes) {
        for (Listening socket : sockets) {
            Owner owner = ownerOf.get(socket.inode());
            if (owner != null) {
                return processes.computeIfAbsent(owner.id(), id -> ServerProcess.read(proc, id));
            }
        }
        return null;
    }

    private boolean isWatched(int port, ServerKind kind, @Nullable ServerProcess process) {
        if (settings.names(port)) {
            return true;
        }
        if (kind == ServerKind.CENTRAL || process != null && ControlPorts.isControl(kind, process, port)) {
            return false;
        }
        return kind.isKnown() || DiscoverySettings.WEB_PORTS.contains(port);
    }

    private LocalServer server(
            int port,
            List<Listening> sockets,
            ServerKind kind,
            @Nullable ServerProcess process,
            List<InetAddress> own) {
        List<InetAddress> addresses = sockets.stream().map(Listening::address).toList();
        ServerKind shown = kind == ServerKind.CENTRAL ? ServerKind.OTHER : kind;
        return new LocalServer(
                node + ":" + port,
                node,
                port,
                shown.label(),
                process == null ? null : serverSettings.version(kind, process),
                HostAddresses.reachable(addresses, port, own),
                process == null ? null : process.id(),
                process == null ? null : process.program(),
                process == null ? SystemSettings.sysctls(proc) : serverSettings.of(kind, process, port),
                sockets.stream().map(Listening::inode).sorted().toList());
    }

    @Override
    public void close() {
        listeners.close();
    }
}
