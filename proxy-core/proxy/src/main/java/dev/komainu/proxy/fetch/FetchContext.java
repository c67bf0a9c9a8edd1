package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.intermediary.upstream.OriginPool;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.tally.LoopTally;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What every fetch of one event loop works with.
 *
 * @param disk where a miss is looked for before its origin is asked; absent: nowhere
 * @param clusterNow the cluster, once this proxy is a member of one
 * @param viaName this proxy's pseudonym in Via
 * @param forwardingNow which forwarding fields of clients reach origins
 */
public record FetchContext(
        EventLoop loop,
        ByteBufAllocator allocator,
        MemoryCache cache,
        @Nullable DiskTier disk,
        OriginPool origins,
        Supplier<@Nullable ClusterUpstream> clusterNow,
        ProxyClock clock,
        LoopTally tally,
        String viaName,
        Supplier<ForwardingSettings> forwardingNow) {

    @Nullable
    ClusterUpstream cluster() {
        return clusterNow.get();
    }

    /** For a fetch that begins now. */
    ForwardingSettings forwarding() {
        return forwardingNow.get();
    }
}
