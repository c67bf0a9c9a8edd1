package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.HostAddresses;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.settings.OutsideSettings.GivenProxy;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Origin sides of proxies: the requests of each proxy to its origins, as a service of its own
 * (thesis ch. 5). A connection is of a proxy's origin side when it goes to one of its upstreams and
 * comes from its host; a forward proxy, which has no upstream, has every connection that leaves its
 * host for another one. Addresses decide: requests of another program of the same host to the same
 * upstream cannot be distinguished, and of two proxies with one upstream the first by id counts.
 * The agent's thread writes, the capture thread reads one immutable snapshot.
 */
final class OriginSides {

    private static final String MARK = ">origin";
    /** Time after which names are resolved again. */
    private static final long NAME_NANOS = 300_000_000_000L;

    private record Side(String service, Set<InetAddress> clients) {}

    private record Snapshot(Map<Endpoint, Side> byServer, List<Side> forward, List<String> names) {}

    private record Resolved(List<InetAddress> addresses, long nanos) {}

    private final List<GivenProxy> given;
    private final Map<String, Resolved> resolved = new ConcurrentHashMap<>();
    private final Set<String> resolving = ConcurrentHashMap.newKeySet();
    private volatile Snapshot snapshot = new Snapshot(Map.of(), List.of(), List.of());
    private volatile int generation;
    private Map<String, ServiceSighting> sightings = Map.of();

    OriginSides(List<GivenProxy> given) {
        this.given = List.copyOf(given);
    }

    /**
     * Applies the result of a discovery.
     *
     * @param idOf returns the id of the service at an address; null when it is not watched
     */
    void update(
            List<DiscoveredServer> servers,
            Function<Endpoint, @Nullable String> idOf,
            String node,
            long atMicros) {
        boolean none = given.isEmpty()
                && servers.stream()
                        .allMatch(server -> server.upstreams().isEmpty() && !isForward(server));
        // Listing them costs the kernel three sockets, at every check.
        Set<InetAddress> own = none ? Set.of() : new HashSet<>(HostAddresses.now());
        Map<String, Set<Endpoint>> upstreams = new TreeMap<>();
        Map<String, Set<InetAddress>> clients = new HashMap<>();
        Set<String> forward = new HashSet<>();
        Map<String, DiscoveredServer> local = new HashMap<>();
        for (DiscoveredServer server : servers) {
            Set<Endpoint> behind = endpoints(server.upstreams());
            behind.removeAll(server.addresses());
            boolean isForward = isForward(server);
            if (!behind.isEmpty() || isForward) {
                String side = server.service() + MARK;
                upstreams.put(side, behind);
                clients.put(side, own);
                local.put(side, server);
                if (isForward) {
                    forward.add(side);
                }
            }
        }
        for (GivenProxy proxy : given) {
            String id = idOf.apply(proxy.client());
            String side = (id == null ? proxy.client().toString() : id) + MARK;
            upstreams.computeIfAbsent(side, key -> new HashSet<>()).addAll(proxy.origins());
            clients.putIfAbsent(
                    side,
                    own.contains(proxy.client().address())
                            ? own
                            : Set.of(proxy.client().address()));
            if (proxy.origins().isEmpty()) {
                forward.add(side);
            }
        }
        publish(upstreams, clients, forward);
        Map<String, ServiceSighting> reported = new TreeMap<>();
        upstreams.forEach((side, behind) ->
                reported.put(side, sighting(side, behind, local.get(side), node, atMicros)));
        sightings = reported;
    }

    // One thread writes the generation: the agent's.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void publish(
            Map<String, Set<Endpoint>> upstreams,
            Map<String, Set<InetAddress>> clients,
            Set<String> forward) {
        Map<Endpoint, Side> byServer = new HashMap<>();
        List<Side> leaving = new ArrayList<>();
        upstreams.forEach((name, behind) -> {
            Side side = new Side(name, Set.copyOf(clients.getOrDefault(name, Set.of())));
            behind.forEach(server -> byServer.putIfAbsent(server, side));
            if (forward.contains(name)) {
                leaving.add(side);
            }
        });
        Snapshot next = new Snapshot(
                Map.copyOf(byServer), List.copyOf(leaving), List.copyOf(upstreams.keySet()));
        if (!next.equals(snapshot)) {
            snapshot = next;
            generation++;
        }
    }

    /** Reports whether the proxy has no configured upstream and fetches from any host. */
    private static boolean isForward(DiscoveredServer server) {
        return (server.kind().equals("squid") || server.kind().equals("komainu"))
                && server.upstreams().isEmpty()
                && server.processId() != null;
    }

    private Set<Endpoint> endpoints(List<Upstream> upstreams) {
        Set<Endpoint> endpoints = new HashSet<>();
        for (Upstream upstream : upstreams) {
            Endpoint literal = upstream.endpoint();
            if (literal != null) {
                endpoints.add(literal);
            } else if (!upstream.address().startsWith("unix:")) {
                int colon = upstream.address().lastIndexOf(':');
                int port = Integer.parseInt(upstream.address().substring(colon + 1));
                for (InetAddress address : addresses(upstream.address().substring(0, colon))) {
                    endpoints.add(Endpoint.of(address.getAddress(), port));
                }
            }
        }
        return endpoints;
    }

    /**
     * Returns the addresses of a name when it was last resolved; resolving may take seconds and
     * happens on a thread of its own.
     */
    private List<InetAddress> addresses(String name) {
        Resolved known = resolved.get(name);
        boolean current = known != null && System.nanoTime() - known.nanos() < NAME_NANOS;
        if (!current && resolving.add(name)) {
            Thread.ofPlatform().daemon().name("komainu-names").start(() -> {
                try {
                    resolved.put(
                            name,
                            new Resolved(
                                    Arrays.asList(InetAddress.getAllByName(name)),
                                    System.nanoTime()));
                } catch (UnknownHostException e) {
                    resolved.put(name, new Resolved(List.of(), System.nanoTime()));
                } finally {
                    resolving.remove(name);
                }
            });
        }
        return known == null ? List.of() : known.addresses();
    }

    private static ServiceSighting sighting(
            String side,
            Set<Endpoint> behind,
            @Nullable DiscoveredServer proxy,
            String node,
            long atMicros) {
        String id = side.substring(0, side.length() - MARK.length());
        List<Setting> settings = behind.stream()
                .map(Endpoint::toString)
                .sorted()
                .map(origin -> new Setting("origin:" + origin, origin, "upstream"))
                .toList();
        return new ServiceSighting(
                side,
                proxy == null ? null : node,
                (proxy == null ? id : proxy.name()) + " → origin",
                "origin",
                null, // No addresses: a server behind may be watched as a service of its
                // own, which is another service.
                List.of(),
                new ServiceSighting.ServerProcess(null, null),
                settings,
                atMicros,
                id);
    }

    /** Returns every origin side, to be reported. The agent's thread. */
    List<ServiceSighting> sightings() {
        return List.copyOf(sightings.values());
    }

    /** Returns the ids of all origin sides. Any thread. */
    List<String> names() {
        return snapshot.names();
    }

    /** Reports whether {@link #of} returns null for every connection. Any thread. */
    boolean isEmpty() {
        return snapshot.names().isEmpty();
    }

    /**
     * Returns the version of the origin sides: it changes when {@link #of} may return another value
     * for a connection. Any thread.
     */
    int generation() {
        return generation;
    }

    /** Returns the origin side that a connection belongs to; null when none. Any thread. */
    @Nullable
    String of(Endpoint client, Endpoint server) {
        Snapshot now = snapshot;
        Side side = now.byServer().get(server);
        if (side != null && side.clients().contains(client.address())) {
            return side.service();
        }
        for (Side forward : now.forward()) {
            if (forward.clients().contains(client.address())
                    && !client.address().isLoopbackAddress()
                    && !forward.clients().contains(server.address())) {
                return forward.service();
            }
        }
        return null;
    }

    /** Returns the ports of the configured origins. Any thread. */
    Set<Integer> ports() {
        Set<Integer> ports = new HashSet<>();
        snapshot.byServer().keySet().forEach(server -> ports.add(server.port()));
        return ports;
    }
}
