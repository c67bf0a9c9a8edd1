package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which server addresses are watched and under which id, for the packet side. Discovery writes it,
 * the capture thread reads it (and, at a mirror port, adds the servers it learns of); both see one
 * immutable picture.
 */
final class WatchedServices {

    private record Picture(
            Map<Endpoint, String> byAddress, List<String> names, BitSet ports, int generation) {}

    private final Set<Integer> learnPorts;
    private final List<Endpoint> elsewhere;
    private volatile Picture picture;

    private final LearnedServers learnt;
    private final OriginSides proxies;

    /**
     * @param elsewhere servers on other hosts, named by their address
     * @param learnPorts whoever answers on these is a server too, named by its address; empty:
     *     nothing is learnt
     */
    WatchedServices(List<Endpoint> elsewhere, Set<Integer> learnPorts) {
        this(elsewhere, learnPorts, new OriginSides(List.of()));
    }

    /** @param proxies what proxies ask of others */
    WatchedServices(List<Endpoint> elsewhere, Set<Integer> learnPorts, OriginSides proxies) {
        this.proxies = proxies;
        this.elsewhere = List.copyOf(elsewhere);
        this.learnPorts = Set.copyOf(learnPorts);
        BitSet ports = new BitSet();
        learnPorts.forEach(ports::set);
        this.picture = new Picture(Map.of(), List.of(), ports, 0);
        this.learnt = new LearnedServers(EpochMicros::now, new LearnedServers.Listener() {
            @Override
            public void learnt(Endpoint server) {
                publish(Map.of(server, server.toString()), null);
            }

            @Override
            public void forgotten(Endpoint server) {
                publish(Map.of(), server);
            }
        });
        Map<Endpoint, String> given = new HashMap<>();
        elsewhere.forEach(server -> given.put(server, server.toString()));
        publish(given, null);
    }

    /**
     * Adds addresses of this host under a service's id. Nothing is ever taken away: of a server
     * that is gone, clients still knock, and their refusals are its own.
     */
    void add(String service, Collection<Endpoint> addresses) {
        Map<Endpoint, String> more = new HashMap<>();
        addresses.forEach(address -> more.put(address, service));
        publish(more, null);
    }

    /** Takes what discovery found. */
    void update(Collection<DiscoveredServer> servers) {
        servers.forEach(server -> add(server.service(), server.addresses()));
    }

    private synchronized void publish(Map<Endpoint, String> more, @Nullable Endpoint less) {
        Map<Endpoint, String> byAddress = new HashMap<>(picture.byAddress());
        if (less != null) {
            byAddress.remove(less);
        }
        byAddress.putAll(more);
        if (!byAddress.equals(picture.byAddress())) {
            List<String> names = List.copyOf(new TreeSet<>(byAddress.values()));
            BitSet ports = new BitSet();
            learnPorts.forEach(ports::set);
            byAddress.keySet().forEach(address -> ports.set(address.port()));
            picture = new Picture(Map.copyOf(byAddress), names, ports, picture.generation() + 1);
        }
    }

    /** The service behind an address, or null when nobody watches it. Any thread. */
    @Nullable
    String nameOf(Endpoint server) {
        String name = picture.byAddress().get(server);
        return name != null || !learnPorts.contains(server.port()) ? name : learnt.nameOf(server);
    }

    /** The service known at an address; unlike {@link #nameOf} it learns nothing. Any thread. */
    @Nullable
    String idOf(Endpoint server) {
        return picture.byAddress().get(server);
    }

    /** What proxies ask of others, each proxy's as a service of its own. */
    OriginSides proxies() {
        return proxies;
    }

    /** Another value than before: some address has another answer now. Any thread. */
    int generation() {
        return picture.generation() + proxies.generation();
    }

    /**
     * Every service there is, silent ones too, sorted; then the origin sides of proxies. Any
     * thread.
     */
    List<String> names() {
        return proxies.isEmpty()
                ? picture.names()
                : Stream.concat(picture.names().stream(), proxies.names().stream())
                        .toList();
    }

    /** Ports at which a server is watched, or may be learnt. Any thread. */
    Set<Integer> ports() {
        Set<Integer> ports = new TreeSet<>(learnPorts);
        picture.byAddress().keySet().forEach(address -> ports.add(address.port()));
        ports.addAll(proxies.ports());
        return ports;
    }

    /** Whether {@link #ports} has this one; cheap. Any thread. */
    boolean watchesPort(int port) {
        return picture.ports().get(port);
    }

    /**
     * What the packet side tells goes through here: nothing of a server that never answered. Any
     * thread.
     */
    RecordSink before(RecordSink sink) {
        return learnPorts.isEmpty() ? sink : learnt.before(sink);
    }

    /** Forgets servers learnt from traffic that were silent for long. Now and then. */
    void tidy() {
        learnt.tidy();
    }

    /** What learning left out since the start, by reason. */
    List<SourceStatus.Drops> drops() {
        return learnt.drops();
    }

    /**
     * Servers on other hosts, given or learnt, as they are told to the central service. Any thread.
     */
    List<ServiceSighting> sightingsElsewhere(long atMicros) {
        Stream<ServiceSighting> servers = Stream.concat(elsewhere.stream(), learnt.known().stream())
                .map(server -> new ServiceSighting(
                        server.toString(),
                        null,
                        server.toString(),
                        "other",
                        null,
                        List.of(server),
                        null,
                        null,
                        List.of(),
                        atMicros));
        return Stream.concat(servers, proxies.sightings().stream()).toList();
    }

    /** Whether anything is watched on other hosts. */
    boolean watchesElsewhere() {
        return !elsewhere.isEmpty() || !learnPorts.isEmpty();
    }
}
