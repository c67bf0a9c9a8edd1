package dev.komainu.intermediary.upstream;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The health of the servers that routes name, shared by all event loops. Servers that only a client
 * named (forward mode) are not stored: there is no alternative to them. Thread-safe.
 */
public final class HealthRegistry {

    private volatile HealthSettings settings;
    private final ConcurrentHashMap<UpstreamServer, ServerHealth> servers =
            new ConcurrentHashMap<>();
    /**
     * Servers that no route names any more, as long as they have connections. A server that is
     * named again continues with its former health.
     */
    private final ConcurrentHashMap<UpstreamServer, ServerHealth> former =
            new ConcurrentHashMap<>();

    public HealthRegistry(HealthSettings settings) {
        this.settings = settings;
    }

    /** Replaces the known servers; servers known before keep their health. One caller at a time. */
    public void setOrigins(Collection<Origin> origins) {
        former.values().removeIf(health -> health.counts.open.sum() == 0);
        for (Origin origin : origins) {
            if (!origin.isCluster()) {
                origin.servers()
                        .forEach(server -> servers.computeIfAbsent(server, this::newHealth));
            }
        }
        servers.forEach((server, health) -> {
            if (origins.stream().noneMatch(origin -> origin.servers().contains(server))) {
                former.put(server, health);
                servers.remove(server);
            }
        });
    }

    private ServerHealth newHealth(UpstreamServer server) {
        ServerHealth known = former.remove(server);
        if (known == null) {
            return new ServerHealth(settings);
        }
        known.reload(settings);
        return known;
    }

    /** Puts new limits in force; counts are kept. */
    public void reload(HealthSettings next) {
        settings = next;
        servers.values().forEach(health -> health.reload(next));
    }

    /** Returns the state of each known server now, sorted by name. */
    public List<ServerFigures> figures() {
        long now = System.nanoTime();
        List<ServerFigures> all = new ArrayList<>();
        servers.forEach((server, health) -> {
            ServerCounts counts = health.counts;
            all.add(new ServerFigures(
                    server.toString(),
                    health.isUsable(now),
                    counts.open.sum(),
                    counts.waiting.sum(),
                    counts.requests.sum(),
                    counts.failures.sum(),
                    counts.waits.sum(),
                    counts.waitedNanos.sum() / 1000,
                    counts.ejections.sum()));
        });
        all.sort(Comparator.comparing(ServerFigures::server));
        return all;
    }

    @Nullable
    ServerHealth of(UpstreamServer server) {
        return servers.get(server);
    }

    Set<UpstreamServer> servers() {
        return Set.copyOf(servers.keySet());
    }

    HealthSettings settings() {
        return settings;
    }
}
