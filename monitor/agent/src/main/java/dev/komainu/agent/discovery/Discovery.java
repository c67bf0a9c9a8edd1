package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.program.ProgramOutput;
import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ListeningSocket;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
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
 * The web servers of this host and their changes. While nothing changes, a scan costs two netlink
 * queries and one {@code stat} per configuration file. When a listening socket appears or
 * disappears, its processes are searched; when a file changes, its server's settings are read
 * again. One thread at a time.
 */
public final class Discovery implements AutoCloseable {

    /**
     * Scans between two reads of the kernel's values, which have no modification time. Within the
     * first minute of a shortage the advice needs the values in force.
     */
    private static final int SCANS_BETWEEN_KERNEL_READS = 3;

    /** Scans between two reads of run-time parameters: a program runs for each of them. */
    private static final int SCANS_BETWEEN_PARAMETER_READS = 12;

    private final String node;
    private final DiscoverySettings settings;
    private final ProcFiles proc;
    private final ListenerTable listeners;
    private final SocketOwnerCache owners;
    private final ServerConfigurations configurations;
    private final ExternalLimits limits;
    private final RuntimeParameters runtimeParameters = new RuntimeParameters();
    private final ConfigurationFreshness freshness;
    private final ApplicationPools pools;
    private Set<ListenerKey> lastTable = Set.of();
    private Map<Integer, DiscoveredServer> known = Map.of();
    private int scans;
    /**
     * True while some server has not read its files yet; checked again with the run-time
     * parameters.
     */
    private boolean pending;

    /** The identity of a listening socket, without its queue's current length. */
    private record ListenerKey(
            InetAddress address,
            int port,
            long inode,
            @Nullable Long queueLimit) {}

    /**
     * The result of one scan.
     *
     * @param servers all current servers
     * @param changed the new servers and those with changed values
     * @param gone ids of servers that no longer listen
     */
    public record Scan(
            List<DiscoveredServer> servers, List<DiscoveredServer> changed, List<String> gone) {
        public Scan {
            servers = List.copyOf(servers);
            changed = List.copyOf(changed);
            gone = List.copyOf(gone);
        }

        /** Reports whether no server appeared, disappeared or changed. */
        public boolean isQuiet() {
            return changed.isEmpty() && gone.isEmpty();
        }

        /**
         * Returns the parts of configurations that could not be read or understood, by file and
         * line.
         */
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

    /**
     * Creates a discovery over a given {@code /proc}.
     *
     * @param askKernel false with a copied {@code /proc}
     */
    Discovery(String node, DiscoverySettings settings, ProcFiles proc, boolean askKernel) {
        this.node = node;
        this.settings = settings;
        this.proc = proc;
        this.listeners = new ListenerTable(proc, askKernel);
        this.owners = new SocketOwnerCache(proc);
        this.configurations = new ServerConfigurations(proc, new ProgramOutput());
        this.limits = new ExternalLimits(proc);
        this.freshness = new ConfigurationFreshness(proc);
        this.pools = new ApplicationPools(proc);
    }

    /**
     * Checks the listening sockets and the files already read, and reads more only where they
     * changed. Never throws.
     */
    public Scan scan() {
        return scan(false);
    }

    /** Scans and reads every server's settings again. */
    public Scan rescan() {
        configurations.invalidate();
        return scan(true);
    }

    @SuppressWarnings("ShortCircuitBoolean") // Both sources are read each time.
    private Scan scan(boolean readAgain) {
        List<ListeningSocket> table = listeners.read();
        Set<ListenerKey> now = new HashSet<>();
        for (ListeningSocket listener : table) {
            if (settings.admits(listener.local().port())) {
                now.add(new ListenerKey(
                        listener.local().address(),
                        listener.local().port(),
                        listener.inode(),
                        listener.limit()));
            }
        }
        boolean kernelChanged =
                (readAgain || scans % SCANS_BETWEEN_KERNEL_READS == 0) && limits.read();
        boolean parametersChanged = (readAgain || scans % SCANS_BETWEEN_PARAMETER_READS == 0)
                && (runtimeParameters.read() | pending | pools.areMissing());
        scans++;
        boolean same = now.equals(lastTable)
                && owners.isAlive()
                && pools.areSettled()
                && !configurations.changed();
        if (same && !readAgain && !kernelChanged && !parametersChanged) {
            return new Scan(List.copyOf(known.values()), List.of(), List.of());
        }
        owners.find(now.stream().map(ListenerKey::inode).collect(Collectors.toSet()));
        pending = false;
        List<InetAddress> hostAddresses = HostAddresses.now();
        List<ServerConfigurations.Key> keys = new ArrayList<>();
        Map<Integer, DiscoveredServer> servers =
                pools.addTo(read(now, hostAddresses, keys), table, hostAddresses);
        servers.replaceAll((port, server) -> withPool(server, keys));
        retain(servers.values(), keys);
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
        return new Scan(List.copyOf(servers.values()), changed, gone);
    }

    private Map<Integer, DiscoveredServer> read(
            Set<ListenerKey> now,
            List<InetAddress> hostAddresses,
            List<ServerConfigurations.Key> keys) {
        Map<Integer, List<ListenerKey>> byPort = new TreeMap<>();
        now.stream()
                .sorted(Comparator.comparingLong(ListenerKey::inode))
                .forEach(l -> byPort.computeIfAbsent(l.port(), port -> new ArrayList<>())
                        .add(l));
        Map<Long, ServerProcess> processes = new HashMap<>();
        Map<Integer, DiscoveredServer> servers = new TreeMap<>();
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
                DiscoveredServer server = server(port, sockets, kind, process, key, hostAddresses);
                if (server.configuration().serves() || settings.names(port)) {
                    servers.put(port, server);
                }
            }
        });
        return servers;
    }

    /** Discards what is known of other processes. */
    private void retain(Collection<DiscoveredServer> servers, List<ServerConfigurations.Key> keys) {
        configurations.retain(keys);
        Set<Long> watched = new HashSet<>();
        for (DiscoveredServer server : servers) {
            for (DiscoveredServer each : new DiscoveredServer[] {server, server.pool()}) {
                if (each != null && each.processId() != null) {
                    watched.add(each.processId());
                }
            }
        }
        limits.retain(watched);
        runtimeParameters.retain(watched);
    }

    /** Returns a server with the settings of the first pool behind it. */
    private DiscoveredServer withPool(
            DiscoveredServer server, List<ServerConfigurations.Key> keys) {
        if (server.pools().isEmpty()) {
            return server;
        }
        ApplicationPool pool = server.pools().getFirst();
        ServerProcess process = ServerProcess.read(proc, pool.processId());
        ProcessStat stat = ProcessStat.parse(proc.read(pool.processId() + "/stat"));
        ServerKind kind = ServerKind.of(process);
        if (process == null || stat == null || !kind.isKnown()) {
            return server;
        }
        Endpoint endpoint = pool.endpoint();
        String place = endpoint == null ? "unix:" + pool.path() : endpoint.toString();
        ServerConfigurations.Key key = new ServerConfigurations.Key(
                pool.processId(),
                stat.startTicks(),
                endpoint == null ? 0 : endpoint.port(),
                pool.path());
        keys.add(key);
        ServerConfigurations.VersionedConfiguration read = configurations.of(kind, process, key);
        List<Setting> settings = new ArrayList<>(read.configuration().settings());
        settings.add(new Setting("kind", kind.label(), place));
        settings.add(new Setting("process", String.valueOf(pool.processId()), place));
        settings.addAll(limits.of(pool.processId()));
        return server.withPool(new DiscoveredServer(
                server.service(),
                node,
                0,
                kind.label(),
                read.version(),
                List.of(),
                pool.processId(),
                process.program(),
                settings,
                List.of(),
                read.configuration()));
    }

    private SocketOwnerCache.@Nullable Owner owner(List<ListenerKey> sockets) {
        for (ListenerKey socket : sockets) {
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
                || (process != null && ControlPorts.isControl(kind, process, port))) {
            return false;
        }
        return kind.isKnown() || DiscoverySettings.WEB_PORTS.contains(port);
    }

    private DiscoveredServer server(
            int port,
            List<ListenerKey> sockets,
            ServerKind kind,
            @Nullable ServerProcess process,
            ServerConfigurations.@Nullable Key key,
            List<InetAddress> hostAddresses) {
        List<InetAddress> addresses = sockets.stream().map(ListenerKey::address).toList();
        ServerKind shown = kind == ServerKind.CENTRAL ? ServerKind.OTHER : kind;
        ServerConfigurations.VersionedConfiguration read =
                process == null || key == null ? null : configurations.of(kind, process, key);
        ServerConfiguration configuration =
                read == null ? ServerConfiguration.NONE : read.configuration();
        List<Setting> reported = new ArrayList<>(
                process == null
                        ? configuration.settings()
                        : runtimeParameters.withRuntimeValues(
                                kind, process, configuration.settings()));
        sockets.stream()
                .map(ListenerKey::queueLimit)
                .filter(limit -> limit != null)
                .min(Comparator.naturalOrder())
                .ifPresent(limit -> reported.add(
                        new Setting("socket:backlog", limit.toString(), "kernel, ss -ltn")));
        if (process != null) {
            ConfigurationFile unread = freshness.pending(kind, process.id(), configuration.files());
            if (unread != null) {
                pending = true;
                reported.add(new Setting(
                        "file:config-pending",
                        unread.path(),
                        "newer than process " + process.id() + " and its workers"));
            }
        }
        reported.addAll(limits.of(process == null ? null : process.id()));
        DiscoveredServer server = new DiscoveredServer(
                node + ":" + port,
                node,
                port,
                shown.label(),
                read == null ? null : read.version(),
                HostAddresses.reachable(addresses, port, hostAddresses),
                process == null ? null : process.id(),
                process == null ? null : process.program(),
                reported,
                sockets.stream().map(ListenerKey::inode).sorted().toList(),
                configuration);
        return server.withLabels(DiscoveredLabels.of(proc, process == null ? null : process.id()));
    }

    @Override
    public void close() {
        listeners.close();
    }
}
