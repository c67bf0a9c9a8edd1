package dev.komainu.proxy.purge;

import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CacheKey;
import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.Stored;
import java.util.ArrayList;
import java.util.List;

/** An order's work on single entries, and its sums. One thread. */
final class Outcome {

    private static final int MOST_SAMPLES = 10;

    private final MemoryCache cache;
    private final PurgeOrder order;
    private final long steadyMillis;
    private final long startNanos = System.nanoTime();
    private final List<String> samples = new ArrayList<>();
    private long matched;
    private long bytes;
    private long purged;

    Outcome(MemoryCache cache, PurgeOrder order, long steadyMillis) {
        this.cache = cache;
        this.order = order;
        this.steadyMillis = steadyMillis;
    }

    /** Whatever the key leads to; rules and marks go too, but are nobody's content. */
    void entry(CacheKey key, CacheEntry entry) {
        Stored stored = entry instanceof Stored response ? response : null;
        if (stored != null) {
            meet(stored);
        }
        if (order.dryRun()) {
            return;
        }
        if (order.soft()) {
            purged += stored != null && stored.soften(steadyMillis) ? 1 : 0;
        } else {
            purged += cache.invalidate(key) instanceof Stored ? 1 : 0;
        }
    }

    /** A response that carries one of the labels; what took its place meanwhile goes with it when it carries one too. */
    void labelled(Stored stored, List<String> labels) {
        meet(stored);
        if (order.dryRun()) {
            return;
        }
        if (order.soft()) {
            purged += stored.soften(steadyMillis) ? 1 : 0;
        } else {
            purged += cache.invalidate(stored.key(), labels) != null ? 1 : 0;
        }
    }

    /** So many more by name on the disk; where the same was met in memory it counts twice. */
    void onDisk(long found) {
        matched += found;
        if (!order.dryRun()) {
            purged += found;
        }
    }

    private void meet(Stored stored) {
        matched++;
        bytes += stored.weight();
        if (samples.size() < MOST_SAMPLES) {
            samples.add(stored.key().uri());
        }
    }

    PurgeReport report() {
        return new PurgeReport(matched, bytes, purged, samples, (System.nanoTime() - startNanos) / 1000);
    }
}
