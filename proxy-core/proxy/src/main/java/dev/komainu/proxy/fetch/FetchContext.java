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
 * The dependencies that all fetches of one event loop share.
 *
 * @param disk the disk tier that is read before the origin is used; null when there is none
 * @param clusterNow supplies the cluster; null while this proxy is not a member of one
 * @param viaName this proxy's pseudonym in Via
 * @param forwardingNow supplies the settings for forwarding fields of clients
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

    /** Returns the settings for a fetch that starts now. */
    ForwardingSettings forwarding() {
        return forwardingNow.get();
    }
}
