package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.program.ProgramOutput;
import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ListeningSocket;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The web servers of this host as they come and go. A look costs two netlink questions and one
 * {@code stat} for each configuration file while nothing changed; when a listening socket appeared
 * or went, the processes behind it are searched; when a file changed, its server's settings are
 * read again. One thread at a time.
 */
public final class Discovery implements AutoCloseable {

    /**
     * The kernel's own values, and what a server is told while it runs, have no time of change:
     * they are compared every so many looks.
     */
    private static final int LOOKS_BETWEEN_KERNEL = 12;

    private final String node;
    private final DiscoverySettings settings;
    private final ProcFiles proc;
    private final ListenerTable listeners;
    private final SocketOwnerCache owners;
    private final ServerConfigurations serverSettings;
    private final ExternalLimits bounds;
    private final RuntimeParameters running = new RuntimeParameters();
    private final ConfigurationFreshness loading;
    private Set<Listening> lastTable = Set.of();
    private Map<Integer, DiscoveredServer> known = Map.of();
    private int looks;
    /** Some server has not read its files yet: whether it has is asked with the kernel's values. */
    private boolean pending;

    /** What a listener is, apart from its queue's present length. */
    private record Listening(
            InetAddress address,
            int port,
            long inode,
            @Nullable Long queueLimit) {}

    /**
     * What a look found.
     *
     * @param servers all there are now
     * @param changed of those, new ones and ones with other values than before
     * @param gone ids of servers that no longer listen
     */
    public record Look(
            List<DiscoveredServer> servers, List<DiscoveredServer> changed, List<String> gone) {
        public Look {
            servers = List.copyOf(servers);
            changed = List.copyOf(changed);
            gone = List.copyOf(gone);
        }

        /** Whether nothing came, went or changed. */
        public boolean isQuiet() {
            return changed.isEmpty() && gone.isEmpty();
        }

        /** What could not be read or understood in configurations, by file and line. */
        public List<String> problems() {
            return servers.stream()
                    .flatMap(server -> server.configuration().problems().stream())
                    .distinct()
                    .toList();
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
        this.owners = new SocketOwnerCache(proc);
        this.serverSettings = new ServerConfigurations(proc, new ProgramOutput());
        this.bounds = new ExternalLimits(proc);
        this.loading = new ConfigurationFreshness(proc);
    }

    /**
     * Looks at the listening sockets and the files read; goes further only where they changed.
     * Never throws.
     */
    public Look look() {
        return look(false);
    }

    /** Looks, and reads every server's settings again. */
    public Look lookAgain() {
        serverSettings.readAgain();
        return look(true);
    }

    private Look look(boolean readAgain) {
        List<ListeningSocket> table = listeners.read();
        Set<Listening> now = new HashSet<>();
        for (ListeningSocket listener : table) {
            if (settings.admits(listener.local().port())) {
                now.add(new Listening(
                        listener.local().address(),
                        listener.local().port(),
                        listener.inode(),
                        listener.limit()));
            }
        }
        boolean kernelChanged = (readAgain || looks++ % LOOKS_BETWEEN_KERNEL == 0)
                && (bounds.read() | running.read() | pending);
        boolean same = now.equals(lastTable) && owners.live() && !serverSettings.changed();
        if (same && !readAgain && !kernelChanged) {
            return new Look(List.copyOf(known.values()), List.of(), List.of());
        }
        owners.find(now.stream().map(Listening::inode).collect(Collectors.toSet()));
        pending = false;
        Map<Integer, DiscoveredServer> servers = read(now);
        List<DiscoveredServer> changed = new ArrayList<>();
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

    private Map<Integer, DiscoveredServer> read(Set<Listening> now) {
        Map<Integer, List<Listening>> byPort = new TreeMap<>();
        now.stream()
                .sorted(Comparator.comparingLong(Listening::inode))
                .forEach(l -> byPort.computeIfAbsent(l.port(), port -> new ArrayList<>())
                        .add(l));
        Map<Long, ServerProcess> processes = new HashMap<>();
        List<InetAddress> own = HostAddresses.now();
        Map<Integer, DiscoveredServer> servers = new TreeMap<>();
        List<ServerConfigurations.Key> keys = new ArrayList<>();
        byPort.forEach((port, sockets) -> {
            SocketOwnerCache.Owner owner = owner(sockets);
            ServerProcess process = owner == null
                    ? null
                    : processes.computeIfAbsent(owner.id(), id -> ServerProcess.read(proc, id));
            ServerKind kind = process == null ? ServerKind.OTHER : ServerKind.of(process);
            if (isWatched(port, kind, process)) {
                ServerConfigurations.Key key = owner == null
                        ? null
                        : new ServerConfigurations.Key(owner.id(), owner.startTicks(), port);
                if (key != null) {
                    keys.add(key);
                }
                DiscoveredServer server = server(port, sockets, kind, process, key, own);
                if (server.configuration().serves() || settings.names(port)) {
                    servers.put(port, server);
                }
            }
        });
        serverSettings.keep(keys);
        Set<Long> watched = servers.values().stream()
                .map(DiscoveredServer::processId)
                .filter(id -> id != null)
                .collect(Collectors.toSet());
        bounds.watch(watched);
        running.watch(watched);
        return servers;
    }

    private SocketOwnerCache.@Nullable Owner owner(List<Listening> sockets) {
        for (Listening socket : sockets) {
            SocketOwnerCache.Owner owner = owners.of(socket.inode());
            if (owner != null) {
                return owner;
            }
        }
        return null;
    }

    private boolean isWatched(int port, ServerKind kind, @Nullable ServerProcess process) {
        if (settings.names(port)) {
            return true;
        }
        if (kind == ServerKind.CENTRAL
                || process != null && ControlPorts.isControl(kind, process, port)) {
            return false;
        }
        return kind.isKnown() || DiscoverySettings.WEB_PORTS.contains(port);
    }

    private DiscoveredServer server(
            int port,
            List<Listening> sockets,
            ServerKind kind,
            @Nullable ServerProcess process,
            ServerConfigurations.@Nullable Key key,
            List<InetAddress> own) {
        List<InetAddress> addresses = sockets.stream().map(Listening::address).toList();
        ServerKind shown = kind == ServerKind.CENTRAL ? ServerKind.OTHER : kind;
        ServerConfigurations.Read read =
                process == null || key == null ? null : serverSettings.of(kind, process, key);
        ServerConfiguration configuration =
                read == null ? ServerConfiguration.NONE : read.configuration();
        List<Setting> told = new ArrayList<>(
                process == null
                        ? configuration.settings()
                        : running.over(kind, process, configuration.settings()));
        sockets.stream()
                .map(Listening::queueLimit)
                .filter(limit -> limit != null)
                .min(Comparator.naturalOrder())
                .ifPresent(limit -> told.add(
                        new Setting("socket:backlog", limit.toString(), "kernel, ss -ltn")));
        if (process != null) {
            ConfigurationFile unread = loading.pending(kind, process.id(), configuration.files());
            if (unread != null) {
                pending = true;
                told.add(new Setting(
                        "file:config-pending",
                        unread.path(),
                        "younger than process " + process.id() + " and its workers"));
            }
        }
        told.addAll(bounds.of(process == null ? null : process.id()));
        return new DiscoveredServer(
                node + ":" + port,
                node,
                port,
                shown.label(),
                read == null ? null : read.version(),
                HostAddresses.reachable(addresses, port, own),
                process == null ? null : process.id(),
                process == null ? null : process.program(),
                told,
                sockets.stream().map(Listening::inode).sorted().toList(),
                configuration);
    }

    @Override
    public void close() {
        listeners.close();
    }
}
