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

/** The work of one purge order on single entries, with its totals. One thread. */
final class PurgeTally {

    private static final int MAX_SAMPLES = 10;

    private final MemoryCache cache;
    private final @Nullable DiskTier disk;
    private final PurgeOrder order;
    private final long steadyMillis;
    private final long startNanos = System.nanoTime();
    private final List<String> samples = new ArrayList<>();
    private long matched;
    private long bytes;
    private long purged;
    /** Responses found in memory that are also on the disk. */
    private long inBoth;

    PurgeTally(MemoryCache cache, @Nullable DiskTier disk, PurgeOrder order, long steadyMillis) {
        this.cache = cache;
        this.disk = disk;
        this.order = order;
        this.steadyMillis = steadyMillis;
    }

    /**
     * Purges any entry of the cache; rules and marks are removed, too, but do not count as
     * responses.
     */
    void entry(CacheKey key, CacheEntry entry) {
        StoredRepresentation stored =
                entry instanceof StoredRepresentation response ? response : null;
        if (stored != null) {
            match(stored);
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
     * Purges a response that carries one of the labels. A response that replaced it meanwhile is
     * dropped when it carries one, too.
     */
    void labelled(StoredRepresentation stored, List<String> labels) {
        match(stored);
        if (order.dryRun()) {
            return;
        }
        if (order.soft()) {
            purged += stored.soften(steadyMillis) ? 1 : 0;
        } else {
            purged += cache.invalidate(stored.key(), labels) != null ? 1 : 0;
        }
    }

    /**
     * Adds the number of records found by name on the disk. Records of responses dropped from
     * memory were already dropped with these.
     */
    void onDisk(long found) {
        long more = order.soft() || order.dryRun() ? Math.max(0, found - inBoth) : found;
        matched += more;
        if (!order.dryRun()) {
            purged += more;
        }
    }

    private void match(StoredRepresentation stored) {
        matched++;
        if (disk != null
                && order.target() instanceof PurgeOrder.Uri
                && stored instanceof StoredResponse storedResponse) {
            inBoth += disk.contains(storedResponse) ? 1 : 0;
        }
        bytes += stored.weight();
        if (samples.size() < MAX_SAMPLES) {
            samples.add(stored.key().uri());
        }
    }

    PurgeReport report() {
        return new PurgeReport(
                matched, bytes, purged, samples, (System.nanoTime() - startNanos) / 1000);
    }
}
