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
 * Which of this member's servers serves which of its prefixes, and with what weight. Where some
 * servers are stopped and others are not, only what the others serve is announced; where all are,
 * everything is, with the member's state stopped. Safe for all threads.
 */
final class OwnServers {

    private static final long HEARSAY_SECONDS = 10;

    private volatile ServingTable now;
    /**
     * Servers of prefixes that are served no more: a request that began before still finds them.
     */
    private volatile Map<UrlPrefix, LocalServer> former = Map.of();
    /** Guarded by this. */
    private final Map<UrlPrefix, ServedRoute> routes = new LinkedHashMap<>();
    /** What servers did that are here no more, for these counts never decrease. Guarded by this. */
    private long servedByGone;

    private long faultsOfGone;

    private volatile long heardNanos = System.nanoTime();

    OwnServers(List<OrganizerSettings.Serve> serve) {
        now = ServingTable.of(serve, Map.of());
        serve.forEach(one -> routes.put(one.route().prefix(), one.route()));
    }

    Collection<LocalServer> all() {
        return now.byAddress().values();
    }

    @Nullable
    LocalServer of(UrlPrefix prefix) {
        LocalServer server = now.byPrefix().get(prefix);
        return server == null ? former.get(prefix) : server;
    }

    /** What is served by TCP, and where. */
    ServedAddresses addresses() {
        return now.addresses();
    }

    /** Makes ready to serve something else. Servers that stay do so with what is known of them. */
    ServingTable next(List<OrganizerSettings.Serve> serve) {
        return ServingTable.of(serve, now.byAddress());
    }

    /** Serves that from now on, with the weights that it names. */
    synchronized void take(ServingTable next) {
        ServingTable before = now;
        before.byAddress().forEach((address, server) -> {
            if (!next.byAddress().containsKey(address)) {
                servedByGone += server.figures().served();
                faultsOfGone += server.figures().faults();
            }
        });
        former = before.byPrefix();
        now = next;
        routes.clear();
        next.serve().forEach(one -> routes.put(one.route().prefix(), one.route()));
    }

    /** @return false when this member does not serve the prefix */
    synchronized boolean weigh(UrlPrefix prefix, int weight) {
        ServedRoute known = routes.get(prefix);
        if (known == null) {
            return false;
        }
        routes.put(prefix, known.weighing(weight));
        return true;
    }

    /**
     * What the central service thinks of them. It is forgotten after {@value #HEARSAY_SECONDS} s:
     * without a centre each server's own look decides alone.
     *
     * @param states labels of the state model by address; whoever is missing is not known there
     */
    void told(Map<String, String> states, long nowNanos) {
        heardNanos = nowNanos;
        now.byAddress().forEach((address, server) -> server.told(meaning(states.get(address))));
    }

    /** Called every second. */
    void forgetHearsay(long nowNanos) {
        if (nowNanos - heardNanos > HEARSAY_SECONDS * 1_000_000_000L) {
            told(Map.of(), nowNanos);
        }
    }

    /**
     * Only what is about the server itself: not about the one behind it, nor about who cannot see
     * it.
     */
    private static ServerState meaning(@Nullable String label) {
        if (label != null && label.startsWith("saturated/")) {
            return ServerState.SATURATED;
        }
        return label != null && label.startsWith("stopped/") ? ServerState.STOPPED : ServerState.UP;
    }

    /** Each with what it is taken for. */
    List<ClusterView.Server> seen() {
        return all().stream()
                .map(server -> new ClusterView.Server(
                        server.address(), server.figures().state().text()))
                .toList();
    }

    /** What to announce now. */
    synchronized List<ServedRoute> announced() {
        List<ServedRoute> running = new ArrayList<>();
        for (Map.Entry<UrlPrefix, ServedRoute> route : routes.entrySet()) {
            LocalServer server = now.byPrefix().get(route.getKey());
            if (server == null || server.figures().state() != ServerState.STOPPED) {
                running.add(route.getValue());
            }
        }
        return running.isEmpty() ? List.copyOf(routes.values()) : running;
    }

    /** All servers together: as well as the best of them, as busy as their sum. */
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
                served + servedByGone,
                faults + faultsOfGone,
                state);
    }
}
