package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.configuration.RootedPath;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.linux.ListeningSocket;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.UnixSocket;
import dev.komainu.telemetry.record.Endpoint;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The application pools of this host behind its web servers: the php-fpm, uWSGI and gunicorn
 * processes that listen where a server's configuration sends its requests. Other kinds are services
 * of their own. One thread at a time.
 */
final class ApplicationPools {

    /** Most pools of one server. */
    private static final int MOST_POOLS = 16;

    /** Most listening Unix sockets that are kept. */
    private static final int MOST_UNIX_LISTENERS = 4_096;

    /** Scans in which a pool that ended is searched for again at once. */
    private static final int SEARCHES = 12;

    private static final Set<ServerKind> KINDS =
            EnumSet.of(ServerKind.PHP_FPM, ServerKind.UWSGI, ServerKind.GUNICORN);
    private static final String UNIX = "unix:";
    private static final String LOCAL_NAME = "localhost:";

    private final ProcFiles proc;
    private final SocketOwnerCache owners;
    private Set<String> found = Set.of();
    private boolean missing;
    private int searches;

    /**
     * A listening socket to which a server passes requests.
     *
     * @param path its path; absent for TCP
     * @param endpoint the address by which the server reaches it; absent for a Unix socket
     */
    private record Listener(
            long inode, @Nullable String path, @Nullable Endpoint endpoint) {}

    ApplicationPools(ProcFiles proc) {
        this.proc = proc;
        this.owners = new SocketOwnerCache(proc);
    }

    /** Reports whether all known pools are alive, and none that ended is searched for. */
    boolean areSettled() {
        return searches == 0 && owners.isAlive();
    }

    /** Reports whether nothing listens at some place of this host that a configuration names. */
    boolean areMissing() {
        return missing;
    }

    /**
     * Returns the servers with their pools.
     *
     * @param servers by port
     * @param table the listening TCP sockets
     * @param hostAddresses this host's own addresses
     */
    Map<Integer, DiscoveredServer> addTo(
            Map<Integer, DiscoveredServer> servers,
            List<ListeningSocket> table,
            List<InetAddress> hostAddresses) {
        missing = false;
        List<UnixSocket> unix = unixListeners(servers.values());
        Set<InetAddress> own = new HashSet<>(hostAddresses);
        Map<Integer, Set<Listener>> byPort = new HashMap<>();
        Set<Long> inodes = new HashSet<>();
        servers.forEach((port, server) -> {
            Set<Listener> listeners = new LinkedHashSet<>();
            for (Upstream upstream : server.upstreams()) {
                if (listeners.size() < MOST_POOLS) {
                    listeners.addAll(listeners(server, upstream, unix, table, own));
                }
            }
            listeners.forEach(listener -> inodes.add(listener.inode()));
            byPort.put(port, listeners);
        });
        owners.find(inodes);
        Map<Long, Boolean> isPool = new HashMap<>();
        Map<Integer, DiscoveredServer> result = new TreeMap<>();
        Set<String> places = new HashSet<>();
        servers.forEach((port, server) -> {
            List<ApplicationPool> pools =
                    pools(server, byPort.getOrDefault(port, Set.of()), isPool);
            pools.forEach(pool -> places.add(port + " " + pool.path() + " " + pool.endpoint()));
            result.put(port, pools.isEmpty() ? server : server.withPools(pools));
        });
        // A supervisor starts an ended pool again after some seconds.
        searches = places.containsAll(found) ? Math.max(0, searches - 1) : SEARCHES;
        searches = missing ? searches : 0;
        found = places;
        return result;
    }

    private List<UnixSocket> unixListeners(Collection<DiscoveredServer> servers) {
        List<UnixSocket> sockets = new ArrayList<>();
        if (servers.stream()
                .flatMap(server -> server.upstreams().stream())
                .anyMatch(upstream -> upstream.address().startsWith(UNIX))) {
            UnixSocket.forEach(proc, socket -> {
                if (socket.listening() && sockets.size() < MOST_UNIX_LISTENERS) {
                    sockets.add(socket);
                }
            });
        }
        return sockets;
    }

    private List<Listener> listeners(
            DiscoveredServer server,
            Upstream upstream,
            List<UnixSocket> unix,
            List<ListeningSocket> table,
            Set<InetAddress> own) {
        List<Listener> listeners = new ArrayList<>();
        if (upstream.address().startsWith(UNIX)) {
            atPath(server, upstream.address().substring(UNIX.length()), unix, listeners);
        } else {
            List<Endpoint> local = local(upstream, own);
            if (local.isEmpty()) {
                return List.of();
            }
            for (Endpoint endpoint : local) {
                atAddress(endpoint, table, listeners);
            }
        }
        missing |= listeners.isEmpty();
        return listeners;
    }

    /**
     * Adds the sockets that are bound at a path. The server may name it by links, as by /var/run
     * instead of /run; so may the pool.
     */
    private void atPath(
            DiscoveredServer server, String path, List<UnixSocket> unix, List<Listener> to) {
        RootedPath root = new RootedPath(proc.path(server.processId() + "/root"));
        String plain = root.withoutLinks(path);
        String name = plain.substring(plain.lastIndexOf('/'));
        for (UnixSocket socket : unix) {
            if (socket.path().equals(path)
                    || socket.path().equals(plain)
                    || (socket.path().endsWith(name)
                            && root.withoutLinks(socket.path()).equals(plain))) {
                to.add(new Listener(socket.inode(), socket.path(), null));
            }
        }
    }

    private static List<Endpoint> local(Upstream upstream, Set<InetAddress> own) {
        Endpoint endpoint = upstream.endpoint();
        if (endpoint != null) {
            return endpoint.address().isLoopbackAddress() || own.contains(endpoint.address())
                    ? List.of(endpoint)
                    : List.of();
        }
        String address = upstream.address();
        if (!address.startsWith(LOCAL_NAME)) {
            return List.of();
        }
        // hosts(5) gives this name to both loopback addresses.
        String port = address.substring(LOCAL_NAME.length());
        return List.of(Endpoint.parse("127.0.0.1:" + port), Endpoint.parse("[::1]:" + port));
    }

    private static void atAddress(
            Endpoint endpoint, List<ListeningSocket> table, List<Listener> to) {
        for (ListeningSocket socket : table) {
            InetAddress address = socket.local().address();
            if (socket.local().port() == endpoint.port()
                    && (address.equals(endpoint.address()) || reaches(address, endpoint))) {
                to.add(new Listener(socket.inode(), null, endpoint));
            }
        }
    }

    /** Reports whether a wildcard accepts this address. That of IPv6 accepts IPv4, too. */
    private static boolean reaches(InetAddress wildcard, Endpoint endpoint) {
        return wildcard.isAnyLocalAddress()
                && (wildcard instanceof Inet6Address || endpoint.address() instanceof Inet4Address);
    }

    private List<ApplicationPool> pools(
            DiscoveredServer server, Set<Listener> listeners, Map<Long, Boolean> isPool) {
        Set<ApplicationPool> pools = new LinkedHashSet<>();
        for (Listener listener : listeners) {
            SocketOwnerCache.Owner owner = owners.of(listener.inode());
            if (owner != null
                    && !Long.valueOf(owner.id()).equals(server.processId())
                    && isPool.computeIfAbsent(owner.id(), this::isPool)
                    && pools.size() < MOST_POOLS) {
                pools.add(new ApplicationPool(owner.id(), listener.path(), listener.endpoint()));
            }
        }
        return List.copyOf(pools);
    }

    private boolean isPool(long process) {
        return KINDS.contains(ServerKind.of(ServerProcess.read(proc, process)));
    }
}
