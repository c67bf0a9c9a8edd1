package dev.komainu.organizer;

import dev.komainu.organizer.member.LocalLoad;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.organizer.service.ServedAddresses;
import dev.komainu.telemetry.record.ClusterView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The servers of this member by prefix, and the weights of its routes. When some servers are
 * stopped, only the prefixes of the others are announced; when all are stopped, every prefix is
 * announced, with the member's state stopped. Thread-safe.
 */
final class OwnServers {

    private static final long MONITOR_STATE_SECONDS = 10;

    private volatile ServingTable table;
    /**
     * Servers of prefixes that are no longer served: requests that started before still find them.
     */
    private volatile Map<UrlPrefix, LocalServer> removed = Map.of();
    /** Guarded by this. */
    private final Map<UrlPrefix, ServedRoute> routes = new LinkedHashMap<>();
    /**
     * Counts of servers that are no longer used, so that the sums never decrease. Guarded by this.
     */
    private long servedByRemoved;

    private long faultsOfRemoved;

    private volatile long monitorStateNanos = System.nanoTime();

    OwnServers(List<OrganizerSettings.Serve> serve) {
        table = ServingTable.of(serve, Map.of());
        serve.forEach(entry -> routes.put(entry.route().prefix(), entry.route()));
    }

    Collection<LocalServer> all() {
        return table.byAddress().values();
    }

    @Nullable
    LocalServer of(UrlPrefix prefix) {
        LocalServer server = table.byPrefix().get(prefix);
        return server == null ? removed.get(prefix) : server;
    }

    /** Returns the services over TCP and their addresses. */
    ServedAddresses addresses() {
        return table.addresses();
    }

    /** Returns the table of other settings. Servers that stay keep their observations. */
    ServingTable next(List<OrganizerSettings.Serve> serve) {
        return ServingTable.of(serve, table.byAddress());
    }

    /** Applies a table, with the weights of its settings. */
    synchronized void apply(ServingTable next) {
        ServingTable previous = table;
        previous.byAddress().forEach((address, server) -> {
            if (!next.byAddress().containsKey(address)) {
                servedByRemoved += server.figures().served();
                faultsOfRemoved += server.figures().faults();
            }
        });
        removed = previous.byPrefix();
        table = next;
        routes.clear();
        next.serve().forEach(entry -> routes.put(entry.route().prefix(), entry.route()));
    }

    /**
     * Sets the weight of a prefix.
     *
     * @return false when this member does not serve the prefix
     */
    synchronized boolean setWeight(UrlPrefix prefix, int weight) {
        ServedRoute route = routes.get(prefix);
        if (route == null) {
            return false;
        }
        routes.put(prefix, route.withWeight(weight));
        return true;
    }

    /**
     * Applies the states that the central service reports. They expire after
     * {@value #MONITOR_STATE_SECONDS} s: without the central service the own checks decide alone.
     *
     * @param states labels of the state model by address; a missing server is unknown there
     */
    void applyMonitorStates(Map<String, String> states, long nowNanos) {
        monitorStateNanos = nowNanos;
        table.byAddress()
                .forEach((address, server) -> server.onMonitorState(stateOf(states.get(address))));
    }

    /** Resets expired states of the central service. Called every second. */
    void expireMonitorStates(long nowNanos) {
        if (nowNanos - monitorStateNanos > MONITOR_STATE_SECONDS * 1_000_000_000L) {
            applyMonitorStates(Map.of(), nowNanos);
        }
    }

    /**
     * Returns the state for a label. Labels about the upstream of the server, or about a missing
     * observation, are ignored.
     */
    private static ServerState stateOf(@Nullable String label) {
        if (label != null && label.startsWith("saturated/")) {
            return ServerState.SATURATED;
        }
        return label != null && label.startsWith("stopped/") ? ServerState.STOPPED : ServerState.UP;
    }

    /** Returns each server with its state. */
    List<ClusterView.Server> views() {
        return all().stream()
                .map(server -> new ClusterView.Server(
                        server.address(), server.figures().state().text()))
                .toList();
    }

    /** Returns the routes to announce now. */
    synchronized List<ServedRoute> announced() {
        List<ServedRoute> running = new ArrayList<>();
        for (Map.Entry<UrlPrefix, ServedRoute> route : routes.entrySet()) {
            LocalServer server = table.byPrefix().get(route.getKey());
            if (server == null || server.figures().state() != ServerState.STOPPED) {
                running.add(route.getValue());
            }
        }
        return running.isEmpty() ? List.copyOf(routes.values()) : running;
    }

    /**
     * Returns the load of all servers together: the state of the best server, the sum of their
     * counts.
     */
    synchronized LocalLoad load() {
        int inFlight = 0;
        long micros = 0;
        long served = 0;
        long faults = 0;
        ServerState state = all().isEmpty() ? ServerState.UP : ServerState.STOPPED;
        for (LocalServer server : all()) {
            LocalServer.Figures figures = server.figures();
            inFlight += figures.inFlight();
            micros += figures.serviceMicros() * figures.served();
            served += figures.served();
            faults += figures.faults();
            if (figures.state().compareTo(state) < 0) {
                state = figures.state();
            }
        }
        return new LocalLoad(
                inFlight,
                served == 0 ? 0 : micros / served,
                served + servedByRemoved,
                faults + faultsOfRemoved,
                state);
    }
}
