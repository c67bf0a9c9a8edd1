package dev.komainu.proxy.upstream;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What all event loops know about the servers that routes name. Servers that only a client named (forward mode) are not
 * in it: there is no other to turn to. Safe for all threads.
 */
public final class HealthBook {

    private final HealthSettings settings;
    private final ConcurrentHashMap<Server, ServerHealth> servers = new ConcurrentHashMap<>();

    public HealthBook(HealthSettings settings) {
        this.settings = settings;
    }

    /** From now on these servers are known, and no others; what is known of them already is kept. */
    public void know(Collection<Origin> origins) {
        for (Origin origin : origins) {
            origin.servers().forEach(server -> servers.computeIfAbsent(server, s -> new ServerHealth(settings)));
        }
        servers.keySet()
                .removeIf(server ->
                        origins.stream().noneMatch(origin -> origin.servers().contains(server)));
    }

    /** How each known server fares now, by name. */
    public List<ServerFigures> figures() {
        long now = System.nanoTime();
        List<ServerFigures> all = new ArrayList<>();
        servers.forEach((server, health) -> {
            ServerCounts c = health.counts;
            all.add(new ServerFigures(
                    server.toString(),
                    health.isUsable(now),
                    c.open.sum(),
                    c.waiting.sum(),
                    c.requests.sum(),
                    c.failures.sum(),
                    c.waits.sum(),
                    c.waitedNanos.sum() / 1000,
                    c.ejections.sum()));
        });
        all.sort(Comparator.comparing(ServerFigures::server));
        return all;
    }

    @Nullable
    ServerHealth of(Server server) {
        return servers.get(server);
    }

    Set<Server> servers() {
        return Set.copyOf(servers.keySet());
    }

    HealthSettings settings() {
        return settings;
    }
}
