package dev.komainu.proxy.control;

import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tally.PoolTally;

/**
 * The cache's two pools, and who sweeps it, in Prometheus' text format; while the cache is not
 * divided, all is in the normal one.
 */
final class PartitionMetrics {

    private final StringBuilder out = new StringBuilder(2048);

    private PartitionMetrics() {}

    static String of(ProxySnapshot figures) {
        PartitionMetrics page = new PartitionMetrics();
        page.write(figures.partition(), figures.counters());
        return page.out.toString();
    }

    private void write(PartitionFigures f, LoopTally counters) {
        PoolTally c = counters.pools;
        one(
                "cache_divided",
                "Whether the cache is divided: 0 single, 1 basic, 2 partition.",
                "gauge",
                mode(f));
        one(
                "cache_pool_target_bytes",
                "What the protected pool is to weigh (S_target).",
                "gauge",
                f.targetBytes());
        one(
                "cache_pool_periods_total",
                "How often a pool had run out of unreferenced bytes.",
                "counter",
                f.periods());
        one(
                "cache_pool_turned_away_total",
                "Answers not stored: the protected pool was full, and nobody had asked for them before.",
                "counter",
                f.turnedAway());
        both(
                "cache_pool_bytes",
                "What a pool's entries weigh; of the protected one: S_cur.",
                "gauge",
                f.guarded().bytes(),
                f.normal().bytes());
        both(
                "cache_pool_maximum_bytes",
                "What they may weigh now; both together are the whole.",
                "gauge",
                f.guarded().maximumBytes(),
                f.normal().maximumBytes());
        both(
                "cache_pool_unreferenced_bytes",
                "Stored answers neither put there nor used in the present period.",
                "gauge",
                f.guarded().unreferencedBytes(),
                f.normal().unreferencedBytes());
        both(
                "cache_pool_entries",
                "Entries: answers, marks and rules.",
                "gauge",
                f.guarded().entries(),
                f.normal().entries());
        both(
                "cache_pool_evictions_total",
                "Entries that left for room.",
                "counter",
                f.guarded().evictions(),
                f.normal().evictions());
        both(
                "cache_pool_hits_total",
                "Answers from memory.",
                "counter",
                c.protectedHits,
                c.normalHits);
        both(
                "cache_pool_hit_bytes_total",
                "Bytes of their bodies, as they were sent.",
                "counter",
                c.protectedHitBytes,
                c.normalHitBytes);
        both(
                "cache_pool_misses_total",
                "Look-ups that memory could not answer.",
                "counter",
                c.protectedMisses,
                c.normalMisses);
        one(
                "sweep_lookups_total",
                "Look-ups by clients that go through everything once, as crawlers and backups do.",
                "counter",
                counters.sweepLookUps);
        one(
                "sweeping_clients",
                "Such clients now, on each event loop.",
                "gauge",
                counters.sweepingClients);
        one(
                "cache_pool_resettling_entries",
                "Entries not looked at yet since the rules of the pools were changed.",
                "gauge",
                f.settled() ? 0 : Math.max(0, f.toResettle() - f.resettled()));
    }

    private static int mode(PartitionFigures f) {
        return f.settings().mode().ordinal();
    }

    private void one(String name, String help, String type, long value) {
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
