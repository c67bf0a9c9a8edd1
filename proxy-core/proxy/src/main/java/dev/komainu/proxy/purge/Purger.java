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
 * Carries purges out. Any thread.
 *
 * <p>The order of things is what makes a purge hold: first it is stamped, so that an answer asked
 * for before is refused when it arrives ({@link dev.komainu.proxy.cache.tier.PurgeTimestamps});
 * then no newcomer may wait for such an answer; then all that is stored is looked at, in memory
 * first and on the disk behind it, while nothing of it may move between the two
 * ({@link DiskTier.Purging}).
 */
public final class Purger implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Purger.class);
    /** More than this is not done on an event loop: some two milliseconds. */
    private static final int SHORT = 1_000;

    private static final int MOST_WAITING = 1_000;

    private static final DiskTier.Purging NO_DISK = new DiskTier.Purging() {
        @Override
        public long look() {
            return 0;
        }

        @Override
        public void close() {}
    };

    private final MemoryCache cache;
    private final @Nullable DiskTier disk;
    private final InFlightFetches inFlight;
    private final ProxyClock clock;
    private final ThreadPoolExecutor later;
    /** Absent while this proxy is a member of no cluster. */
    private volatile @Nullable PurgePropagation spread;

    /** @param disk absent when there is none */
    public Purger(
            MemoryCache cache,
            @Nullable DiskTier disk,
            InFlightFetches inFlight,
            ProxyClock clock) {
        this.cache = cache;
        this.disk = disk;
        this.inFlight = inFlight;
        this.clock = clock;
        this.later = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                task -> Thread.ofPlatform().name("komainu-purge").daemon().unstarted(task));
        later.allowCoreThreadTimeOut(true);
    }

    /** What was done here, and what becomes of it elsewhere; absent where nobody else is told. */
    public record Carried(
            PurgeReport report,
            @Nullable CompletableFuture<PurgePropagation.Acknowledgements> elsewhere) {}

    /** From now on the other members are told of every order. */
    public void spreadBy(PurgePropagation members) {
        spread = members;
    }

    /** Whether others are told. */
    public boolean isSpread() {
        return spread != null;
    }

    /**
     * Carries it out and returns when it is done. A prefix takes a look at every entry: not for an
     * event loop.
     */
    public PurgeReport carryOut(PurgeOrder order) {
        return carryOutEverywhere(order).report();
    }

    /** The same, with word of the other members. */
    public Carried carryOutEverywhere(PurgeOrder order) {
        PurgePropagation.StartedOrder others = begin(order);
        PurgeReport report = carryOutHere(order);
        return new Carried(report, others == null ? null : others.propagate());
    }

    private PurgePropagation.@Nullable StartedOrder begin(PurgeOrder order) {
        PurgePropagation members = spread;
        return members == null || order.dryRun() ? null : members.begin(order);
    }

    /** The same, of an order that another member gave. */
    public PurgeReport carryOutHere(PurgeOrder given) {
        PurgeOrder order = given.withCopies();
        PurgeTally outcome = new PurgeTally(cache, disk, order, clock.steadyMillis());
        if (order.dryRun()) {
            look(order, outcome);
            if (disk != null && order.target() instanceof PurgeOrder.Uri uri) {
                outcome.onDisk(disk.count(uri.key()));
            }
            return outcome.report();
        }
        try (DiskTier.Purging onDisk = announce(order)) {
            look(order, outcome);
            outcome.onDisk(onDisk.look());
        }
        return outcome.report();
    }

    /** Whether it may be carried out on an event loop. */
    public boolean isShort(PurgeOrder order) {
        return switch (order.withCopies().target()) {
            case PurgeOrder.Uri uri -> cache.tags().count(Labels.variantOf(uri.key())) <= SHORT;
            case PurgeOrder.Labelled some ->
                some.labels().stream().mapToInt(cache.tags()::count).sum() <= SHORT;
            case PurgeOrder.Prefix every -> false;
        };
    }

    /**
     * Announces it now, so that nothing asked for before is stored or waited for any more, and
     * looks at what is stored on a thread of its own.
     *
     * @return false, with nothing looked at, when too many wait already
     */
    public boolean carryOutLater(PurgeOrder given) {
        PurgePropagation.StartedOrder others = begin(given);
        PurgeOrder order = given.withCopies();
        DiskTier.Purging onDisk = announce(order);
        try {
            later.execute(() -> {
                try (onDisk) {
                    look(order, new PurgeTally(cache, disk, order, clock.steadyMillis()));
                    onDisk.look();
                    tell(others);
                } catch (RuntimeException e) {
                    LOG.error("purge: {} was not carried out", order, e);
                }
            });
            return true;
        } catch (RejectedExecutionException full) {
            onDisk.look();
            onDisk.close();
            tell(others);
            LOG.warn("purge: {} was not carried out ({} wait already)", order, MOST_WAITING);
            return false;
        }
    }

    private static void tell(PurgePropagation.@Nullable StartedOrder others) {
        if (others != null) {
            others.propagate();
        }
    }

    /**
     * On whichever thread suits. @return whether something was dropped, as far as that is known at
     * once
     */
    public boolean carryOutSomewhere(PurgeOrder order) {
        return isShort(order) ? carryOut(order).purged() > 0 : carryOutLater(order);
    }

    private DiskTier.Purging announce(PurgeOrder order) {
        DiskTier.Purging onDisk = disk == null ? NO_DISK : disk.begin(onDisk(order));
        boolean soft = order.soft();
        switch (order.target()) {
            case PurgeOrder.Uri uri -> {
                cache.stamps().uri(uri.key(), soft);
                if (soft) {
                    inFlight.leaveAlone(uri.key());
                } else {
                    inFlight.disown(uri.key());
                }
            }
            case PurgeOrder.Labelled some -> {
                some.labels().forEach(label -> cache.stamps().label(label, soft));
                inFlight.leaveAlone(some.labels());
            }
            case PurgeOrder.Prefix every -> {
                cache.stamps().prefix(every.bytes(), soft);
                if (soft) {
                    inFlight.leavePrefixAlone(every.bytes());
                } else {
                    inFlight.disownPrefix(every.bytes());
                }
            }
        }
        return onDisk;
    }

    private static List<DiskPurge> onDisk(PurgeOrder order) {
        return switch (order.target()) {
            case PurgeOrder.Uri uri -> List.of(DiskPurge.uri(uri.key(), order.soft()));
            case PurgeOrder.Prefix every -> List.of(DiskPurge.prefix(every.bytes(), order.soft()));
            case PurgeOrder.Labelled some ->
                some.labels().stream()
                        .map(label -> DiskPurge.label(label, order.soft()))
                        .toList();
        };
    }

    private void look(PurgeOrder order, PurgeTally outcome) {
        switch (order.target()) {
            case PurgeOrder.Uri uri -> uri(uri.key(), outcome);
            case PurgeOrder.Labelled some -> labelled(some.labels(), outcome);
            case PurgeOrder.Prefix every ->
                cache.walk(every.bytes(), Long.MAX_VALUE / 2 + System.nanoTime(), (key, entry) -> {
                    outcome.entry(key, entry);
                    return true;
                });
        }
    }

    private void uri(CacheKey key, PurgeTally outcome) {
        if (disk != null) {
            // What the disk gave back a moment ago may be about to be found.
            cache.await(key);
        }
        CacheEntry entry = cache.get(key);
        if (entry != null) {
            outcome.entry(key, entry);
        }
        for (StoredRepresentation variant : cache.tags().carriers(Labels.variantOf(key))) {
            outcome.entry(variant.key(), variant);
        }
    }

    /** What carries two of the labels is met twice, and is gone, or stale, the second time. */
    private void labelled(List<String> labels, PurgeTally outcome) {
        for (int i = 0; i < labels.size(); i++) {
            List<String> earlier = labels.subList(0, i);
            for (StoredRepresentation carrier : cache.tags().carriers(labels.get(i))) {
                if (earlier.stream().noneMatch(carrier::carries)) {
                    outcome.labelled(carrier, labels);
                }
            }
        }
    }

    @Override
    public void close() {
        later.shutdownNow();
    }
}
