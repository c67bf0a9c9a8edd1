package dev.komainu.proxy.control;

import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tally.PoolTally;

/**
 * The metrics of the cache's two pools and of sweeping clients, in Prometheus' text format. While
 * the cache is not divided, all entries are in the normal pool.
 */
final class PartitionMetrics {

    private final StringBuilder out = new StringBuilder(2048);

    private PartitionMetrics() {}

    static String of(ProxySnapshot figures) {
        PartitionMetrics page = new PartitionMetrics();
        page.write(figures.cache().partition(), figures.counters());
        return page.out.toString();
    }

    private void write(PartitionFigures f, LoopTally counters) {
        PoolTally c = counters.pools;
        single(
                "cache_divided",
                "Division of the cache: 0 single, 1 basic, 2 partition.",
                "gauge",
                mode(f));
        single(
                "cache_pool_target_bytes",
                "Target weight of the protected pool (S_target).",
                "gauge",
                f.targetBytes());
        single(
                "cache_pool_periods_total",
                "Times a pool had no unreferenced bytes left.",
                "counter",
                f.periods());
        single(
                "cache_pool_turned_away_total",
                "Responses not stored because the protected pool was full and they had not been requested before.",
                "counter",
                f.turnedAway());
        both(
                "cache_pool_bytes",
                "Weight of a pool's entries; of the protected one: S_cur.",
                "gauge",
                f.guarded().bytes(),
                f.normal().bytes());
        both(
                "cache_pool_maximum_bytes",
                "Present limit of a pool's weight; both together are the total.",
                "gauge",
                f.guarded().maximumBytes(),
                f.normal().maximumBytes());
        both(
                "cache_pool_unreferenced_bytes",
                "Stored responses neither stored nor used in the current period, in bytes.",
                "gauge",
                f.guarded().unreferencedBytes(),
                f.normal().unreferencedBytes());
        both(
                "cache_pool_entries",
                "Entries: responses, marks and rules.",
                "gauge",
                f.guarded().entries(),
                f.normal().entries());
        both(
                "cache_pool_evictions_total",
                "Entries evicted for room.",
                "counter",
                f.guarded().evictions(),
                f.normal().evictions());
        both(
                "cache_pool_hits_total",
                "Responses from memory.",
                "counter",
                c.protectedHits,
                c.normalHits);
        both(
                "cache_pool_hit_bytes_total",
                "Body bytes sent from memory.",
                "counter",
                c.protectedHitBytes,
                c.normalHitBytes);
        both(
                "cache_pool_misses_total",
                "Lookups without a usable response in memory.",
                "counter",
                c.protectedMisses,
                c.normalMisses);
        single(
                "sweep_lookups_total",
                "Lookups by clients that request everything once, such as crawlers and backups.",
                "counter",
                counters.sweepLookUps);
        single(
                "sweeping_clients",
                "Sweeping clients at present, counted on each event loop.",
                "gauge",
                counters.sweepingClients);
        single(
                "cache_pool_resettling_entries",
                "Entries not yet checked since the last change of the pools' rules.",
                "gauge",
                f.settled() ? 0 : Math.max(0, f.toResettle() - f.resettled()));
    }

    private static int mode(PartitionFigures f) {
        return f.settings().mode().ordinal();
    }

    private void single(String name, String help, String type, long value) {
        head(name, help, type);
        out.append("komainu_proxy_").append(name).append(' ').append(value).append('\n');
    }

    private void both(String name, String help, String type, long guarded, long normal) {
        head(name, help, type);
        pool(name, "protected", guarded);
        pool(name, "normal", normal);
    }

    private void head(String name, String help, String type) {
        out.append("# HELP komainu_proxy_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        out.append("# TYPE komainu_proxy_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private void pool(String name, String pool, long value) {
        out.append("komainu_proxy_")
                .append(name)
                .append("{pool=\"")
                .append(pool)
                .append("\"} ");
        out.append(value).append('\n');
    }
}
