package dev.komainu.proxy.report;

import dev.komainu.intermediary.buffer.BufferFigures;
import dev.komainu.intermediary.buffer.BufferScheme;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.upstream.HealthRegistry;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.disk.DiskFigures;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.exchange.ExchangeServices;
import dev.komainu.proxy.exchange.LoopContext;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tally.PoolTally;
import dev.komainu.proxy.tally.Totals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.ProxyWindow;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Adds the loops' tallies up at each full second and writes one window. A loop that does not answer
 * within half a second is reported in the next window: its counters are cumulative, so nothing is
 * lost.
 */
public final class WindowReport implements AutoCloseable {

    private static final long SECOND = 1_000_000;
    private static final long PATIENCE_MILLIS = 500;

    private static final LoopTally CLOSED = new LoopTally();

    private final ExchangeServices services;
    private final ConnectionLimits limits;
    private final HealthRegistry health;
    private final ReloadCounts reloads;
    /**
     * What loops told when their window was given up: its counters are in the next one's, its
     * durations nowhere else.
     */
    private final Queue<LoopTally> late = new ConcurrentLinkedQueue<>();

    private final List<LoopContext> workers;
    private final long startedMicros = EpochMicros.now();
    private final Histogram hits = Distribution.newRecorder();
    private final Histogram misses = Distribution.newRecorder();
    private final Histogram origins = Distribution.newRecorder();
    private final Runnable everySecond;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-windows").daemon().unstarted(task));
    private LoopTally before = new LoopTally();
    private long refusedBefore;
    private long evictionsBefore;
    private @Nullable DiskFigures diskBefore;
    private volatile @Nullable ProxySnapshot latest;

    /** @param everySecond called after each window, on this report's thread */
    public WindowReport(
            ExchangeServices services,
            ConnectionLimits limits,
            HealthRegistry health,
            ReloadCounts reloads,
            List<LoopContext> workers,
            Runnable everySecond) {
        this.services = services;
        this.limits = limits;
        this.health = health;
        this.reloads = reloads;
        this.workers = workers;
        this.everySecond = everySecond;
    }

    public void start() {
        long wait = SECOND - EpochMicros.now() % SECOND;
        clock.scheduleAtFixedRate(this::tick, wait, SECOND, TimeUnit.MICROSECONDS);
    }

    /** The last second's figures; taken now when there are none yet. */
    public ProxySnapshot latest() {
        ProxySnapshot known = latest;
        return known == null ? take() : known;
    }

    private void tick() {
        try {
            take();
            services.log().refill();
            everySecond.run();
        } catch (RuntimeException e) {
            org.slf4j.LoggerFactory.getLogger(WindowReport.class)
                    .error("A window was not reported", e);
        }
    }

    private synchronized ProxySnapshot take() {
        LoopTally now = new LoopTally();
        int[] idle = new int[workers.size()];
        AtomicReferenceArray<LoopTally> parts = new AtomicReferenceArray<>(workers.size());
        CountDownLatch told = new CountDownLatch(parts.length());
        for (int i = 0; i < parts.length(); i++) {
            int at = i;
            LoopContext worker = workers.get(i);
            worker.loop().execute(() -> {
                LoopTally part = new LoopTally();
                worker.tally().addTo(part);
                idle[at] = worker.idleConnections();
                if (!parts.compareAndSet(at, null, part)) {
                    late.add(part);
                }
                told.countDown();
            });
        }
        boolean all = false;
        try {
            all = told.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ProxySnapshot known = latest;
        boolean given = all || known == null;
        long idleClients = 0;
        for (int i = 0; i < parts.length(); i++) {
            LoopTally part = parts.getAndSet(i, CLOSED);
            if (part == null) {
                continue;
            }
            if (given) {
                part.addTo(now);
                idleClients += idle[i];
            } else {
                late.add(part);
            }
        }
        if (!given && known != null) {
            return known;
        }
        for (LoopTally part = late.poll(); part != null; part = late.poll()) {
            part.addDurationsTo(now);
        }
        Totals totals = new Totals(now);
        long atMicros = EpochMicros.now();
        PartitionFigures partition = services.cache().partition();
        DiskTier tier = services.disk();
        DiskFigures disk = tier == null ? null : tier.figures();
        BufferFigures buffers = limits.buffers().figures();
        ProxyWindow window = window(
                totals,
                atMicros,
                idleClients,
                pools(now.pools, before.pools, partition),
                disk == null ? null : tier(disk, diskBefore, tier != null && !tier.isOpen()),
                buffers(buffers));
        totals.addTo(hits, misses, origins);
        ProxySnapshot figures = new ProxySnapshot(
                services.log().service(),
                startedMicros,
                atMicros,
                now,
                idleClients,
                limits.clients().refused(),
                limits.clients().refusedPerClient(),
                services.cache().bytes(),
                services.cache().parts(),
                services.cache().settings().policy(),
                services.cache().settings().memoryBytes(),
                services.cache().objects(),
                services.cache().evictions(),
                services.cache().noRoom(),
                partition,
                disk,
                services.inFlight().size(),
                health.figures(),
                reloads.figures(),
                limits.reclamation().figures(),
                buffers,
                services.readAhead().figures(),
                hits.copy(),
                misses.copy(),
                origins.copy());
        before = now;
        diskBefore = disk;
        refusedBefore = figures.refused();
        evictionsBefore = figures.evictions();
        latest = figures;
        services.log().sink().accept(window);
        return figures;
    }

    private static ProxyWindow.Pools pools(
            PoolTally now, PoolTally before, PartitionFigures partition) {
        return new ProxyWindow.Pools(
                partition.wholeBytes(),
                partition.guarded().bytes(),
                partition.targetBytes(),
                partition.guarded().unreferencedBytes(),
                partition.normal().bytes(),
                partition.normal().unreferencedBytes(),
                now.protectedHits - before.protectedHits,
                now.protectedMisses - before.protectedMisses,
                now.normalHits - before.normalHits,
                now.normalMisses - before.normalMisses);
    }

    /** @param closed as it is now; taken for all of the second */
    private static ProxyWindow.Tier tier(
            DiskFigures now, @Nullable DiskFigures before, boolean closed) {
        return new ProxyWindow.Tier(
                now.bytes(),
                now.limitBytes(),
                now.records(),
                now.found() - (before == null ? 0 : before.found()),
                unread(now) - (before == null ? 0 : unread(before)),
                now.written() - (before == null ? 0 : before.written()),
                closed ? SECOND : 0,
                now.protectedBytes());
    }

    private static long unread(DiskFigures disk) {
        return disk.unread().values().stream().mapToLong(Long::longValue).sum();
    }

    private static ProxyWindow.@Nullable Buffers buffers(BufferFigures now) {
        return now.scheme() == BufferScheme.EQUATION
                ? new ProxyWindow.Buffers(
                        now.budgetBytes(), now.inUseBytes(), now.idleBytes(), now.waiting())
                : null;
    }

    private ProxyWindow window(
            Totals totals,
            long atMicros,
            long idleClients,
            ProxyWindow.Pools pools,
            ProxyWindow.@Nullable Tier tier,
            ProxyWindow.@Nullable Buffers buffers) {
        LoopTally now = totals.counters();
        return new ProxyWindow(
                services.log().service(),
                atMicros / SECOND * SECOND - SECOND,
                SECOND,
                now.requests - before.requests,
                now.responses - before.responses,
                now.hits - before.hits,
                now.stale - before.stale,
                now.revalidated - before.revalidated,
                now.collapsed - before.collapsed,
                now.misses - before.misses,
                now.passes + now.tunnels - before.passes - before.tunnels,
                now.errors - before.errors,
                now.origin.requests - before.origin.requests,
                now.origin.failures - before.origin.failures,
                now.clientConnections,
                idleClients,
                now.origin.connections,
                now.origin.idleConnections,
                now.inFlight,
                limits.clients().refused() - refusedBefore,
                services.cache().bytes(),
                services.cache().settings().memoryBytes(),
                services.cache().objects(),
                services.cache().evictions() - evictionsBefore,
                now.sentBytes - before.sentBytes,
                now.origin.receivedBytes - before.origin.receivedBytes,
                now.exchangesNotListed - before.exchangesNotListed,
                totals.hits(),
                totals.misses(),
                totals.origins(),
                pools,
                tier,
                buffers);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        take();
    }
}
