package dev.komainu.agent;

import dev.komainu.agent.discovery.LocalServer;
import dev.komainu.telemetry.record.Endpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which server addresses are watched and under which id, for the packet side. Discovery writes it, the capture thread
 * reads it; both see one immutable picture.
 */
final class WatchedServices {

    private record Picture(
            Map<Endpoint, String> byAddress, Map<Integer, String> byPort, List<String> names, int generation) {}

    private final String node;
    private final Set<Integer> givenPorts;
    private final List<Endpoint> elsewhere;
    private volatile Picture picture;

    /**
     * @param givenPorts watched on this host also while nothing listens there, so that a stopped server's refusals are
     *     still its own
     * @param elsewhere servers on other hosts, named by their address
     */
    WatchedServices(String node, Collection<Integer> givenPorts, List<Endpoint> elsewhere) {
        this.node = node;
        this.givenPorts = Set.copyOf(givenPorts);
        this.elsewhere = List.copyOf(elsewhere);
        this.picture = new Picture(Map.of(), Map.of(), List.of(), 0);
        update(List.of());
    }

    /** Takes what discovery found. A server that is gone stays watched: its clients still knock, and their refusals count. */
    void update(Collection<LocalServer> servers) {
        Map<Endpoint, String> byAddress = new HashMap<>(picture.byAddress());
        Map<Integer, String> byPort = new HashMap<>();
        Set<String> names = new HashSet<>(picture.names());
        for (int port : givenPorts) {
            byPort.put(port, node + ":" + port);
            names.add(node + ":" + port);
        }
        for (Endpoint server : elsewhere) {
            byAddress.put(server, server.toString());
            names.add(server.toString());
        }
        for (LocalServer server : servers) {
            server.addresses().forEach(address -> byAddress.put(address, server.service()));
            names.add(server.service());
        }
        boolean same = byAddress.equals(picture.byAddress()) && byPort.equals(picture.byPort());
        int generation = picture.generation() + (same ? 0 : 1);
        picture =
                new Picture(Map.copyOf(byAddress), Map.copyOf(byPort), List.copyOf(new ArrayList<>(names)), generation);
    }

    /** The service behind an address, or null when nobody watches it. Any thread. */
    @Nullable
    String nameOf(Endpoint server) {
        Picture now = picture;
        String name = now.byAddress().get(server);
        return name != null ? name : now.byPort().get(server.port());
    }

    /** Another value than before: some address has another answer now. Any thread. */
    int generation() {
        return picture.generation();
    }

    /** Every service there is, silent ones too. Any thread. */
    List<String> names() {
        return picture.names();
    }

    /** Ports at which a server is watched. Any thread. */
    Set<Integer> ports() {
        Picture now = picture;
        Set<Integer> ports = new HashSet<>(now.byPort().keySet());
        now.byAddress().keySet().forEach(address -> ports.add(address.port()));
        return ports;
    }
}
