package dev.komainu.proxy.purge;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.disk.DiskTier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An order's work on single entries, and its sums. One thread. */
final class PurgeTally {

    private static final int MOST_SAMPLES = 10;

    private final MemoryCache cache;
    private final @Nullable DiskTier disk;
    private final PurgeOrder order;
    private final long steadyMillis;
    private final long startNanos = System.nanoTime();
    private final List<String> samples = new ArrayList<>();
    private long matched;
    private long bytes;
    private long purged;
    /** Met in memory, while the same lies on the disk. */
    private long inBoth;

    PurgeTally(MemoryCache cache, @Nullable DiskTier disk, PurgeOrder order, long steadyMillis) {
        this.cache = cache;
        this.disk = disk;
        this.order = order;
        this.steadyMillis = steadyMillis;
    }

    /** Whatever the key leads to; rules and marks go too, but are nobody's content. */
    void entry(CacheKey key, CacheEntry entry) {
        StoredRepresentation stored =
                entry instanceof StoredRepresentation response ? response : null;
        if (stored != null) {
            meet(stored);
        }
        if (order.dryRun()) {
            return;
        }
        if (order.soft()) {
            purged += stored != null && stored.soften(steadyMillis) ? 1 : 0;
        } else {
            purged += cache.invalidate(key) instanceof StoredRepresentation ? 1 : 0;
        }
    }

    /**
     * A response that carries one of the labels; what took its place meanwhile goes with it when it
     * carries one too.
     */
    void labelled(StoredRepresentation stored, List<String> labels) {
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

    /** So many by name on the disk. What was dropped from memory was dropped there with it. */
    void onDisk(long found) {
        long more = order.soft() || order.dryRun() ? Math.max(0, found - inBoth) : found;
        matched += more;
        if (!order.dryRun()) {
            purged += more;
        }
    }

    private void meet(StoredRepresentation stored) {
        matched++;
        if (disk != null
                && order.target() instanceof PurgeOrder.Uri
                && stored instanceof StoredResponse whole) {
            inBoth += disk.keeps(whole) ? 1 : 0;
        }
        bytes += stored.weight();
        if (samples.size() < MOST_SAMPLES) {
            samples.add(stored.key().uri());
        }
    }

    PurgeReport report() {
        return new PurgeReport(
                matched, bytes, purged, samples, (System.nanoTime() - startNanos) / 1000);
    }
}
