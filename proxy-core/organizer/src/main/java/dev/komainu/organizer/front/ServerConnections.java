package dev.komainu.organizer.front;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.LoopTime;
import dev.komainu.intermediary.connection.OriginConnectionListener;
import dev.komainu.intermediary.upstream.AddressResolver;
import dev.komainu.intermediary.upstream.HealthRegistry;
import dev.komainu.intermediary.upstream.KnownServers;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.OriginCounts;
import dev.komainu.intermediary.upstream.OriginPool;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.server.LocalServer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.Map;

/** The pooled connections of one event loop to the servers of this member. Used on the loop. */
final class ServerConnections {

    private final EventLoop loop;
    private final OriginPool pool;
    private final Map<LocalServer, Origin> origins = new HashMap<>();

    ServerConnections(
            EventLoop loop, Class<? extends Channel> channels, UpstreamSettings settings) {
        this.loop = loop;
        this.pool = new OriginPool(
                loop,
                channels,
                LineBuffers.ALLOCATOR,
                settings,
                // The servers are named in this member's own settings, so every address is allowed.
                new KnownServers(
                        new AddressResolver(address -> true, settings.dns()),
                        new HealthRegistry(settings.health())),
                new IdleCounts(),
                OriginConnectionListener.NONE,
                new LoopBuffers(loop, new BufferBudget(BufferSettings.DEFAULT)),
                new OriginCounts(),
                new LoopTime(),
                () -> {});
    }

    EventLoop loop() {
        return loop;
    }

    OriginPool pool() {
        return pool;
    }

    /** Returns the pool's name of a server. */
    Origin origin(LocalServer server) {
        return origins.computeIfAbsent(server, key -> Origin.ofAuthority(key.address(), 80));
    }

    /** Expires the waits whose deadline has passed. */
    void sweep(long nowNanos) {
        pool.sweep(nowNanos);
    }
}
