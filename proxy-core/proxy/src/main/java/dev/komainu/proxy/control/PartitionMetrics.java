package dev.komainu.proxy.control;

import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.tally.PoolTally;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.util.function.ToLongFunction;

/**
 * The metrics of the cache's two pools and of sweeping clients; a part of {@link MetricsPage}.
 * While the cache is not divided, all entries are in the normal pool.
 */
final class PartitionMetrics {

    private static final String POOL = "pool";
    private static final String PROTECTED = "protected";
    private static final String NORMAL = "normal";

    private final PublishedMetrics.Meters<PublishedFigures> meters;

    private PartitionMetrics(PublishedMetrics.Meters<PublishedFigures> meters) {
        this.meters = meters;
    }

    static void declare(PublishedMetrics.Meters<PublishedFigures> meters) {
        PartitionMetrics page = new PartitionMetrics(meters);
        page.whole();
        page.pools();
    }

    private void whole() {
        meters.gauge(
                "cache_divided",
                "Division of the cache: 0 single, 1 basic, 2 partition.",
                f -> partition(f).settings().mode().ordinal());
        meters.gauge(
                "cache_pool_target_bytes",
                "Target weight of the protected pool (S_target).",
                f -> partition(f).targetBytes());
        meters.counter(
                "cache_pool_periods",
                "Times a pool had no unreferenced bytes left.",
                f -> partition(f).periods());
        meters.counter(
                "cache_pool_turned_away",
                "Responses not stored because the protected pool was full and they had not been requested before.",
                f -> partition(f).turnedAway());
        meters.counter(
                "sweep_lookups",
                "Lookups by clients that request everything once, such as crawlers and backups.",
                f -> f.counters().sweepLookUps);
        meters.gauge(
                "sweeping_clients",
                "Sweeping clients at present, counted on each event loop.",
                f -> f.counters().sweepingClients);
        meters.gauge(
                "cache_pool_resettling_entries",
                "Entries not yet checked since the last change of the pools' rules.",
                f -> resettling(partition(f)));
    }

    private void pools() {
        gauges(
                "cache_pool_bytes",
                "Weight of a pool's entries; of the protected one: S_cur.",
                p -> p.guarded().bytes(),
                p -> p.normal().bytes());
        gauges(
                "cache_pool_maximum_bytes",
                "Present limit of a pool's weight; both together are the total.",
                p -> p.guarded().maximumBytes(),
                p -> p.normal().maximumBytes());
        gauges(
                "cache_pool_unreferenced_bytes",
                "Stored responses neither stored nor used in the current period, in bytes.",
                p -> p.guarded().unreferencedBytes(),
                p -> p.normal().unreferencedBytes());
        gauges(
                "cache_pool_entries",
                "Entries: responses, marks and rules.",
                p -> p.guarded().entries(),
                p -> p.normal().entries());
        counters(
                "cache_pool_evictions",
                "Entries evicted for room.",
                f -> partition(f).guarded().evictions(),
                f -> partition(f).normal().evictions());
        counters(
                "cache_pool_hits",
                "Responses from memory.",
                f -> tally(f).protectedHits,
                f -> tally(f).normalHits);
        counters(
                "cache_pool_hit_bytes",
                "Body bytes sent from memory.",
                f -> tally(f).protectedHitBytes,
                f -> tally(f).normalHitBytes);
        counters(
                "cache_pool_misses",
                "Lookups without a usable response in memory.",
                f -> tally(f).protectedMisses,
                f -> tally(f).normalMisses);
    }

    private static PartitionFigures partition(PublishedFigures f) {
        return f.snapshot().cache().partition();
    }

    private static PoolTally tally(PublishedFigures f) {
        return f.counters().pools;
    }

    private static long resettling(PartitionFigures f) {
        return f.settled() ? 0 : Math.max(0, f.toResettle() - f.resettled());
    }

    private void gauges(
            String name,
            String help,
            ToLongFunction<PartitionFigures> guarded,
            ToLongFunction<PartitionFigures> normal) {
        meters.gauge(name, help, f -> guarded.applyAsLong(partition(f)), POOL, PROTECTED);
        meters.gauge(name, help, f -> normal.applyAsLong(partition(f)), POOL, NORMAL);
    }

    private void counters(
            String name,
            String help,
            ToLongFunction<PublishedFigures> guarded,
            ToLongFunction<PublishedFigures> normal) {
        meters.counter(name, help, guarded::applyAsLong, POOL, PROTECTED);
        meters.counter(name, help, normal::applyAsLong, POOL, NORMAL);
    }
}
