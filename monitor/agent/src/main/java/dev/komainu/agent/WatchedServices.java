package dev.komainu.agent;

import dev.komainu.agent.discovery.LocalServer;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which server addresses are watched and under which id, for the packet side. Discovery writes it, the capture thread
 * reads it (and, at a mirror port, adds the servers it learns of); both see one immutable picture.
 */
final class WatchedServices {

    /** Servers learnt from traffic are no more than this: a scan must not fill memory. */
    private static final int MAX_LEARNT = 1_000;

    private record Picture(Map<Endpoint, String> byAddress, List<String> names, int generation) {}

    private final Set<Integer> learnPorts;
    private final List<Endpoint> elsewhere;
    private volatile Picture picture = new Picture(Map.of(), List.of(), 0);

    // Guarded by this.
    private final Map<Endpoint, String> learnt = new HashMap<>();

    /**
     * @param elsewhere servers on other hosts, named by their address
     * @param learnPorts whoever answers on these is a server too, named by its address; empty: nothing is learnt
     */
    WatchedServices(List<Endpoint> elsewhere, Set<Integer> learnPorts) {
        this.elsewhere = List.copyOf(elsewhere);
        this.learnPorts = Set.copyOf(learnPorts);
        elsewhere.forEach(server -> learnt.put(server, server.toString()));
        publish(learnt);
    }

    /**
     * Adds addresses of this host under a service's id. Nothing is ever taken away: of a server that is gone, clients still
     * knock, and their refusals are its own.
     */
    void add(String service, Collection<Endpoint> addresses) {
        Map<Endpoint, String> more = new HashMap<>();
        addresses.forEach(address -> more.put(address, service));
        publish(more);
    }

    /** Takes what discovery found. */
    void update(Collection<LocalServer> servers) {
        servers.forEach(server -> add(server.service(), server.addresses()));
    }

    private synchronized void publish(Map<Endpoint, String> more) {
        Map<Endpoint, String> byAddress = new HashMap<>(picture.byAddress());
        byAddress.putAll(more);
        if (!byAddress.equals(picture.byAddress())) {
            List<String> names = List.copyOf(new TreeSet<>(byAddress.values()));
            picture = new Picture(Map.copyOf(byAddress), names, picture.generation() + 1);
        }
    }

    /** The service behind an address, or null when nobody watches it. Any thread. */
    @Nullable
    String nameOf(Endpoint server) {
        String name = picture.byAddress().get(server);
        return name != null || !learnPorts.contains(server.port()) ? name : learn(server);
    }

    private synchronized @Nullable String learn(Endpoint server) {
        if (learnt.size() >= MAX_LEARNT && !learnt.containsKey(server)) {
            return null;
        }
        learnt.put(server, server.toString());
        publish(Map.of(server, server.toString()));
        return server.toString();
    }

    /** Another value than before: some address has another answer now. Any thread. */
    int generation() {
        return picture.generation();
    }

    /** Every service there is, silent ones too, sorted. Any thread. */
    List<String> names() {
        return picture.names();
    }

    /** Ports at which a server is watched, or may be learnt. Any thread. */
    Set<Integer> ports() {
        Set<Integer> ports = new TreeSet<>(learnPorts);
        picture.byAddress().keySet().forEach(address -> ports.add(address.port()));
        return ports;
    }

    /** Servers on other hosts, given or learnt, as they are told to the central service. Any thread. */
    synchronized List<ServiceSighting> sightingsElsewhere(long atMicros) {
        return learnt.keySet().stream()
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
                        atMicros))
                .toList();
    }

    /** Whether anything is watched on other hosts. */
    boolean watchesElsewhere() {
        return !elsewhere.isEmpty() || !learnPorts.isEmpty();
    }
}
