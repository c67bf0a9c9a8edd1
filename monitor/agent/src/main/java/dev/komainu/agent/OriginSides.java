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
 * What proxies ask of others, each proxy's as a service of its own (thesis ch. 5). A connection is
 * of a proxy's origin side when it goes to one of its upstreams and comes from its host; a forward
 * proxy, which names no upstream, has every connection that leaves its host for another one.
 * Addresses decide: what another program of the same host asks of the same upstream cannot be told
 * apart, and of two proxies with one upstream the first by id counts. The agent's thread writes,
 * the capture thread reads one immutable picture.
 */
final class OriginSides {

    private static final String MARK = ">origin";
    /** Names are looked up again after so long. */
    private static final long NAME_NANOS = 300_000_000_000L;

    private record Side(String service, Set<InetAddress> clients) {}

    private record Picture(Map<Endpoint, Side> byServer, List<Side> forward, List<String> names) {}

    private record Resolved(List<InetAddress> addresses, long nanos) {}

    private final List<GivenProxy> given;
    private final Map<String, Resolved> resolved = new ConcurrentHashMap<>();
    private final Set<String> beingResolved = ConcurrentHashMap.newKeySet();
    private volatile Picture picture = new Picture(Map.of(), List.of(), List.of());
    private volatile int generation;
    private Map<String, ServiceSighting> sightings = Map.of();

    OriginSides(List<GivenProxy> given) {
        this.given = List.copyOf(given);
    }

    /**
     * Takes what discovery found.
     *
     * @param idOf the id of the service at an address; null when nobody watches it
     */
    void update(
            List<DiscoveredServer> servers,
            Function<Endpoint, @Nullable String> idOf,
            String node,
            long atMicros) {
        boolean none = given.isEmpty()
                && servers.stream()
                        .allMatch(server -> server.upstreams().isEmpty() && !isForward(server));
        // Listing them costs the kernel three sockets, at every look.
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
        Map<String, ServiceSighting> told = new TreeMap<>();
        upstreams.forEach((side, behind) ->
                told.put(side, sighting(side, behind, local.get(side), node, atMicros)));
        sightings = told;
    }

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
        Picture next = new Picture(
                Map.copyOf(byServer), List.copyOf(leaving), List.copyOf(upstreams.keySet()));
        if (!next.equals(picture)) {
            picture = next;
            generation++;
        }
    }

    /** A proxy whose configuration names nobody behind it fetches from everywhere. */
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
     * What a name meant when it was last looked up; looking up may take seconds and happens on a
     * thread of its own.
     */
    private List<InetAddress> addresses(String name) {
        Resolved known = resolved.get(name);
        boolean fresh = known != null && System.nanoTime() - known.nanos() < NAME_NANOS;
        if (!fresh && beingResolved.add(name)) {
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
                    beingResolved.remove(name);
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
                null,
                // No addresses: a server behind may be watched as a service of its own, and is not
                // the same.
                List.of(),
                null,
                null,
                settings,
                atMicros,
                id);
    }

    /** Every origin side there is, to be told. The agent's thread. */
    List<ServiceSighting> sightings() {
        return List.copyOf(sightings.values());
    }

    /** Ids of all origin sides. Any thread. */
    List<String> names() {
        return picture.names();
    }

    /** Whether {@link #of} can answer anything but null. Any thread. */
    boolean isEmpty() {
        return picture.names().isEmpty();
    }

    /** Another value than before: some connection has another answer now. Any thread. */
    int generation() {
        return generation;
    }

    /** The origin side a connection belongs to; null when none. Any thread. */
    @Nullable
    String of(Endpoint client, Endpoint server) {
        Picture now = picture;
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

    /** Ports of the named origins. Any thread. */
    Set<Integer> ports() {
        Set<Integer> ports = new HashSet<>();
        picture.byServer().keySet().forEach(server -> ports.add(server.port()));
        return ports;
    }
}
