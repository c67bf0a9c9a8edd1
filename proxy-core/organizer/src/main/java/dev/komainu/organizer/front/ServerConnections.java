package dev.komainu.organizer.front;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.connection.IdleCounts;
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

/** One event loop's kept connections to the servers of this member. On the loop. */
final class ServerConnections {

    private final EventLoop loop;
    private final OriginPool pool;
    private final Map<LocalServer, Origin> known = new HashMap<>();

    ServerConnections(
            EventLoop loop, Class<? extends Channel> channels, UpstreamSettings settings) {
        this.loop = loop;
        this.pool = new OriginPool(
                loop,
                channels,
                LineBuffers.ALLOCATOR,
                settings,
                // Servers are named in this member's own settings: whatever they name may be
                // dialled.
                new KnownServers(
                        new AddressResolver(address -> true, settings.dns()),
                        new HealthRegistry(settings.health())),
                new IdleCounts(),
                OriginConnectionListener.NONE,
                new LoopBuffers(loop, new BufferBudget(BufferSettings.DEFAULT)),
                new OriginCounts(),
                () -> {});
    }

    EventLoop loop() {
        return loop;
    }

    OriginPool pool() {
        return pool;
    }

    /** A server as the pool names it. */
    Origin origin(LocalServer server) {
        return known.computeIfAbsent(server, one -> Origin.ofAuthority(one.address(), 80));
    }

    /** Ends the waits whose time has come. */
    void sweep(long nowNanos) {
        pool.sweep(nowNanos);
    }
}
