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
 * @param idleClients client connections without an exchange
 * @param refused connections closed at accept, cumulative
 * @param refusedPerClient those of them refused for the limit of their client
 * @param disk the disk tier of stored responses; null when there is none
 * @param servers the servers that routes name
 * @param reloads the reloads of the configuration since start
 * @param reclaim the idle connections and the resources that they use
 * @param buffers the budget for socket buffers
 * @param readAhead the bytes that responses without a store keep
 * @param hitResponse since start
 * @param missResponse since start
 * @param originResponse since start
 */
public record ProxySnapshot(
        String service,
        long startedMicros,
        long atMicros,
        LoopTally counters,
        long idleClients,
        long refused,
        long refusedPerClient,
        long cacheBytes,
        CacheBytes cacheParts,
        CachePolicy cachePolicy,
        long cacheBudgetBytes,
        long cacheObjects,
        long evictions,
        long noRoom,
        PartitionFigures partition,
        @Nullable DiskFigures disk,
        long fetchesInFlight,
        List<ServerFigures> servers,
        ReloadCounts.Figures reloads,
        ReclaimFigures reclaim,
        BufferFigures buffers,
        ReadAhead.Figures readAhead,
        Histogram hitResponse,
        Histogram missResponse,
        Histogram originResponse) {}
