package dev.komainu.proxy.purge;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.disk.DiskPurge;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.fetch.InFlightFetches;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executor of purges. Thread-safe.
 *
 * <p>The order of the steps makes a purge reliable. First the timestamp is set, so that a response
 * requested earlier is refused when it arrives
 * ({@link dev.komainu.proxy.cache.tier.PurgeTimestamps}). Then no new request may wait for such a
 * response. Then all stored responses are checked, first in memory and then on the disk, while none
 * of them may move between the two ({@link DiskTier.ActivePurge}).
 */
public final class Purger implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Purger.class);
    /** Limit of the responses purged on an event loop: about two milliseconds. */
    private static final int MAX_ON_LOOP = 1_000;

    private static final int MAX_WAITING = 1_000;

    private static final DiskTier.ActivePurge NO_DISK = new DiskTier.ActivePurge() {
        @Override
        public long apply() {
            return 0;
        }

        @Override
        public void close() {}
    };

    private final MemoryCache cache;
    private final @Nullable DiskTier disk;
    private final InFlightFetches inFlight;
    private final ProxyClock clock;
    private final ThreadPoolExecutor executor;
    /** Null while this proxy is not a member of a cluster. */
    private volatile @Nullable PurgePropagation propagation;

    /**
     * Creates a purger.
     *
     * @param disk null without a disk tier
     */
    public Purger(
            MemoryCache cache,
            @Nullable DiskTier disk,
            InFlightFetches inFlight,
            ProxyClock clock) {
        this.cache = cache;
        this.disk = disk;
        this.inFlight = inFlight;
        this.clock = clock;
        this.executor = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_WAITING),
                task -> Thread.ofPlatform().name("komainu-purge").daemon().unstarted(task));
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * The result on this proxy, and the future result of the other members; null without other
     * members.
     */
    public record Execution(
            PurgeReport report,
            @Nullable CompletableFuture<PurgePropagation.Acknowledgements> elsewhere) {}

    /** Sets the propagation of orders to the other members. */
    public void propagateBy(PurgePropagation members) {
        propagation = members;
    }

    /** Reports whether orders are propagated to other members. */
    public boolean isPropagated() {
        return propagation != null;
    }

    /**
     * Executes an order and returns when it is done. A prefix checks every entry: not for an event
     * loop.
     */
    public PurgeReport carryOut(PurgeOrder order) {
        return carryOutEverywhere(order).report();
    }

    /** Executes an order on this proxy and on the other members. */
    public Execution carryOutEverywhere(PurgeOrder order) {
        PurgePropagation.StartedOrder others = begin(order);
        PurgeReport report = carryOutHere(order);
        return new Execution(report, others == null ? null : others.propagate());
    }

    private PurgePropagation.@Nullable StartedOrder begin(PurgeOrder order) {
        PurgePropagation members = propagation;
        return members == null || order.dryRun() ? null : members.begin(order);
    }

    /** Executes an order of another member on this proxy. */
    public PurgeReport carryOutHere(PurgeOrder original) {
        PurgeOrder order = original.withCopies();
        PurgeTally tally = new PurgeTally(cache, disk, order, clock.steadyMillis());
        if (order.dryRun()) {
            check(order, tally);
            if (disk != null && order.target() instanceof PurgeOrder.Uri uri) {
                tally.onDisk(disk.count(uri.key()));
            }
            return tally.report();
        }
        try (DiskTier.ActivePurge onDisk = announce(order)) {
            check(order, tally);
            tally.onDisk(onDisk.apply());
        }
        return tally.report();
    }

    /** Reports whether an order may be executed on an event loop. */
    public boolean isShort(PurgeOrder order) {
        return switch (order.withCopies().target()) {
            case PurgeOrder.Uri uri ->
                cache.tags().count(Labels.variantOf(uri.key())) <= MAX_ON_LOOP;
            case PurgeOrder.Labelled labels ->
                labels.labels().stream().mapToInt(cache.tags()::count).sum() <= MAX_ON_LOOP;
            case PurgeOrder.Prefix prefix -> false;
        };
    }

    /**
     * Announces an order, so that no earlier response is stored or waited for any more, and checks
     * the stored responses on a thread of its own.
     *
     * @return false, with nothing checked, when too many orders wait
     */
    public boolean carryOutLater(PurgeOrder original) {
        PurgePropagation.StartedOrder others = begin(original);
        PurgeOrder order = original.withCopies();
        DiskTier.ActivePurge onDisk = announce(order);
        try {
            executor.execute(() -> {
                try (onDisk) {
                    check(order, new PurgeTally(cache, disk, order, clock.steadyMillis()));
                    onDisk.apply();
                    propagate(others);
                } catch (RuntimeException e) {
                    LOG.error("purge: {} was not executed", order, e);
                }
            });
            return true;
        } catch (RejectedExecutionException rejected) {
            onDisk.apply();
            onDisk.close();
            propagate(others);
            LOG.warn("purge: {} was not executed ({} orders wait)", order, MAX_WAITING);
            return false;
        }
    }

    // The order is executed later, so no caller waits for the other members.
    @SuppressWarnings("FutureReturnValueIgnored")
    private static void propagate(PurgePropagation.@Nullable StartedOrder others) {
        if (others != null) {
            others.propagate();
        }
    }

    /**
     * Executes an order on the calling thread, or on a thread of its own when it is long.
     *
     * @return whether a response was dropped, as far as known at once
     */
    public boolean execute(PurgeOrder order) {
        return isShort(order) ? carryOut(order).purged() > 0 : carryOutLater(order);
    }

    private DiskTier.ActivePurge announce(PurgeOrder order) {
        DiskTier.ActivePurge onDisk = disk == null ? NO_DISK : disk.begin(onDisk(order));
        boolean soft = order.soft();
        switch (order.target()) {
            case PurgeOrder.Uri uri -> {
                cache.purgeTimestamps().uri(uri.key(), soft);
                if (soft) {
                    inFlight.closeToJoins(uri.key());
                } else {
                    inFlight.disown(uri.key());
                }
            }
            case PurgeOrder.Labelled labels -> {
                labels.labels().forEach(label -> cache.purgeTimestamps().label(label, soft));
                inFlight.closeToJoins(labels.labels());
            }
            case PurgeOrder.Prefix prefix -> {
                cache.purgeTimestamps().prefix(prefix.bytes(), soft);
                if (soft) {
                    inFlight.closePrefixToJoins(prefix.bytes());
                } else {
                    inFlight.disownPrefix(prefix.bytes());
                }
            }
        }
        return onDisk;
    }

    private static List<DiskPurge> onDisk(PurgeOrder order) {
        return switch (order.target()) {
            case PurgeOrder.Uri uri -> List.of(DiskPurge.uri(uri.key(), order.soft()));
            case PurgeOrder.Prefix prefix ->
                List.of(DiskPurge.prefix(prefix.bytes(), order.soft()));
            case PurgeOrder.Labelled labels ->
                labels.labels().stream()
                        .map(label -> DiskPurge.label(label, order.soft()))
                        .toList();
        };
    }

    private void check(PurgeOrder order, PurgeTally tally) {
        switch (order.target()) {
            case PurgeOrder.Uri uri -> checkUri(uri.key(), tally);
            case PurgeOrder.Labelled labels -> checkLabelled(labels.labels(), tally);
            case PurgeOrder.Prefix prefix ->
                cache.walk(prefix.bytes(), Long.MAX_VALUE / 2 + System.nanoTime(), (key, entry) -> {
                    tally.entry(key, entry);
                    return true;
                });
        }
    }

    private void checkUri(CacheKey key, PurgeTally tally) {
        if (disk != null) {
            // A response restored from the disk may be about to be stored.
            cache.awaitWriter(key);
        }
        CacheEntry entry = cache.get(key);
        if (entry != null) {
            tally.entry(key, entry);
        }
        for (StoredRepresentation variant : cache.tags().responsesWith(Labels.variantOf(key))) {
            tally.entry(variant.key(), variant);
        }
    }

    /**
     * A response that carries two of the labels is found twice; the second time it is already gone
     * or stale.
     */
    private void checkLabelled(List<String> labels, PurgeTally tally) {
        for (int i = 0; i < labels.size(); i++) {
            List<String> earlier = labels.subList(0, i);
            for (StoredRepresentation response : cache.tags().responsesWith(labels.get(i))) {
                if (earlier.stream().noneMatch(response::carries)) {
                    tally.labelled(response, labels);
                }
            }
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
