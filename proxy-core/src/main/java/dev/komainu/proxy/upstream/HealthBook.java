package dev.komainu.proxy.upstream;

import java.util.Collection;
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
