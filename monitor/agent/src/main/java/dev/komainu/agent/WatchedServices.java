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
 * Watched server addresses and their service ids, for the packet side. Discovery writes them, the
 * capture thread reads them (and, at a mirror port, adds the servers it learns); both see one
 * immutable snapshot.
 */
final class WatchedServices {

    private record Snapshot(
            Map<Endpoint, String> byAddress, List<String> names, BitSet ports, int generation) {}

    private final Set<Integer> learnPorts;
    private final List<Endpoint> elsewhere;
    private volatile Snapshot snapshot;

    private final LearnedServers learned;
    private final OriginSides proxies;

    /**
     * Creates the table of watched services.
     *
     * @param elsewhere servers on other hosts, identified by their address
     * @param learnPorts each address that responds on these ports is a server too, identified by
     *     its address; empty: no server is learned
     */
    WatchedServices(List<Endpoint> elsewhere, Set<Integer> learnPorts) {
        this(elsewhere, learnPorts, new OriginSides(List.of()));
    }

    /**
     * Creates the table of watched services.
     *
     * @param proxies origin sides of the proxies
     */
    WatchedServices(List<Endpoint> elsewhere, Set<Integer> learnPorts, OriginSides proxies) {
        this.proxies = proxies;
        this.elsewhere = List.copyOf(elsewhere);
        this.learnPorts = Set.copyOf(learnPorts);
        BitSet ports = new BitSet();
        learnPorts.forEach(ports::set);
        this.snapshot = new Snapshot(Map.of(), List.of(), ports, 0);
        this.learned = new LearnedServers(EpochMicros::now, new LearnedServers.Listener() {
            @Override
            public void onLearned(Endpoint server) {
                publish(Map.of(server, server.toString()), null);
            }

            @Override
            public void onForgotten(Endpoint server) {
                publish(Map.of(), server);
            }
        });
        Map<Endpoint, String> given = new HashMap<>();
        elsewhere.forEach(server -> given.put(server, server.toString()));
        publish(given, null);
    }

    /**
     * Adds addresses of this host under a service's id. No address is ever removed: clients still
     * connect to a server that is gone, and the refusals belong to it.
     */
    void add(String service, Collection<Endpoint> addresses) {
        Map<Endpoint, String> more = new HashMap<>();
        addresses.forEach(address -> more.put(address, service));
        publish(more, null);
    }

    /** Applies the result of a discovery. */
    void update(Collection<DiscoveredServer> servers) {
        servers.forEach(server -> add(server.service(), server.addresses()));
    }

    private synchronized void publish(Map<Endpoint, String> more, @Nullable Endpoint less) {
        Map<Endpoint, String> byAddress = new HashMap<>(snapshot.byAddress());
        if (less != null) {
            byAddress.remove(less);
        }
        byAddress.putAll(more);
        if (!byAddress.equals(snapshot.byAddress())) {
            List<String> names = List.copyOf(new TreeSet<>(byAddress.values()));
            BitSet ports = new BitSet();
            learnPorts.forEach(ports::set);
            byAddress.keySet().forEach(address -> ports.set(address.port()));
            snapshot = new Snapshot(Map.copyOf(byAddress), names, ports, snapshot.generation() + 1);
        }
    }

    /** Returns the service at an address, or null when it is not watched. Any thread. */
    @Nullable
    String nameOf(Endpoint server) {
        String name = snapshot.byAddress().get(server);
        return name != null || !learnPorts.contains(server.port()) ? name : learned.nameOf(server);
    }

    /**
     * Returns the service known at an address; unlike {@link #nameOf} it learns no server. Any
     * thread.
     */
    @Nullable
    String idOf(Endpoint server) {
        return snapshot.byAddress().get(server);
    }

    /** Returns the origin sides of the proxies, each a service of its own. */
    OriginSides proxies() {
        return proxies;
    }

    /**
     * Returns the version of the services: it changes when a method may return another value for an
     * address. Any thread.
     */
    int generation() {
        return snapshot.generation() + proxies.generation();
    }

    /**
     * Returns every service, including silent ones, sorted; then the origin sides of proxies. Any
     * thread.
     */
    List<String> names() {
        return proxies.isEmpty()
                ? snapshot.names()
                : Stream.concat(snapshot.names().stream(), proxies.names().stream())
                        .toList();
    }

    /** Returns the ports at which a server is watched, or may be learned. Any thread. */
    Set<Integer> ports() {
        Set<Integer> ports = new TreeSet<>(learnPorts);
        snapshot.byAddress().keySet().forEach(address -> ports.add(address.port()));
        ports.addAll(proxies.ports());
        return ports;
    }

    /** Reports whether {@link #ports} contains this port; cheap. Any thread. */
    boolean watchesPort(int port) {
        return snapshot.ports().get(port);
    }

    /**
     * Returns the sink for the records of the packet side: it leaves out records of servers that
     * never responded. Any thread.
     */
    RecordSink before(RecordSink sink) {
        return learnPorts.isEmpty() ? sink : learned.before(sink);
    }

    /** Forgets learned servers that were silent for long. Called now and then. */
    void expire() {
        learned.expire();
    }

    /** Returns the counts of data that learning left out since the start, by reason. */
    List<SourceStatus.Drops> drops() {
        return learned.drops();
    }

    /**
     * Returns the servers on other hosts, configured or learned, as they are reported to the
     * central service. Any thread.
     */
    List<ServiceSighting> sightingsElsewhere(long atMicros) {
        return sightingsElsewhere(atMicros, UndiscoveredHost.NONE);
    }

    /**
     * Returns the servers on other hosts, and on this one where its system has no discovery.
     *
     * @param here this host; {@link UndiscoveredHost#NONE} where servers are discovered
     */
    List<ServiceSighting> sightingsElsewhere(long atMicros, UndiscoveredHost here) {
        Stream<ServiceSighting> servers = Stream.concat(
                        elsewhere.stream(), learned.known().stream())
                .map(server -> new ServiceSighting(
                        server.toString(),
                        here.nodeOf(server),
                        server.toString(),
                        "other",
                        null,
                        List.of(server),
                        new ServiceSighting.ServerProcess(null, null),
                        here.settingsOf(server),
                        atMicros));
        return Stream.concat(servers, proxies.sightings().stream()).toList();
    }

    /** Reports whether any server on other hosts is watched. */
    boolean watchesElsewhere() {
        return !elsewhere.isEmpty() || !learnPorts.isEmpty();
    }
}
