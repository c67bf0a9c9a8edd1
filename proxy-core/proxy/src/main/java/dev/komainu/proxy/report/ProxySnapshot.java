package dev.komainu.proxy.report;

import dev.komainu.intermediary.buffer.BufferFigures;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.upstream.ServerFigures;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.cache.tier.CacheBytes;
import dev.komainu.proxy.connection.ReclaimFigures;
import dev.komainu.proxy.deliver.ReadAhead;
import dev.komainu.proxy.disk.DiskFigures;
import dev.komainu.proxy.tally.LoopTally;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The proxy's figures as of the last second. Immutable; no thread may record into its histograms.
 *
 * @param counters the cumulative counters and current gauges
 * @param clients the client connections and the resources that they use
 * @param cache the stored responses and the space they use
 * @param origins the exchanges with origins
 * @param reloads the reloads of the configuration since start
 * @param times the distributions of the times to the first byte
 */
public record ProxySnapshot(
        String service,
        long startedMicros,
        long atMicros,
        LoopTally counters,
        Clients clients,
        Cache cache,
        Origins origins,
        ReloadCounts.Figures reloads,
        Times times) {
    /**
     * The client connections and the resources that they use.
     *
     * @param idleClients client connections without an exchange
     * @param refused connections closed at accept, cumulative
     * @param refusedPerClient those of them refused for the limit of their client
     * @param reclaim the idle connections and the resources that they use
     * @param buffers the budget for socket buffers
     */
    public record Clients(
            long idleClients,
            long refused,
            long refusedPerClient,
            ReclaimFigures reclaim,
            BufferFigures buffers) {}

    /**
     * The stored responses and the space they use.
     *
     * @param disk the disk tier of stored responses; null when there is none
     */
    public record Cache(
            long cacheBytes,
            CacheBytes cacheParts,
            CachePolicy cachePolicy,
            long cacheBudgetBytes,
            long cacheObjects,
            long evictions,
            long noRoom,
            PartitionFigures partition,
            @Nullable DiskFigures disk) {}

    /**
     * The exchanges with origins.
     *
     * @param servers the servers that routes name
     * @param readAhead the bytes that responses without a store keep
     */
    public record Origins(
            long fetchesInFlight, List<ServerFigures> servers, ReadAhead.Figures readAhead) {}

    /**
     * The distributions of the times to the first byte.
     *
     * @param hitResponse since start
     * @param missResponse since start
     * @param originResponse since start
     */
    public record Times(Histogram hitResponse, Histogram missResponse, Histogram originResponse) {}
}
