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
 * The report of windows: it sums the loops' tallies at each full second and writes one window. A
 * loop that does not respond within half a second is reported in the next window: its counters are
 * cumulative, so no count is lost.
 */
@SuppressWarnings("FutureReturnValueIgnored") // tick logs exceptions
public final class WindowReport implements AutoCloseable {

    private static final long SECOND = 1_000_000;
    private static final long TIMEOUT_MILLIS = 500;

    private static final LoopTally CLOSED = new LoopTally();

    private final ExchangeServices services;
    private final ConnectionLimits limits;
    private final HealthRegistry health;
    private final ReloadCounts reloads;
    /**
     * The tallies of loops that responded after their window was given up. The next window has
     * their counters; their durations are only here.
     */
    private final Queue<LoopTally> late = new ConcurrentLinkedQueue<>();

    private final List<LoopContext> contexts;
    private final long startedMicros = EpochMicros.now();
    private final Histogram hits = Distribution.newRecorder();
    private final Histogram misses = Distribution.newRecorder();
    private final Histogram origins = Distribution.newRecorder();
    private final Runnable everySecond;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-windows").daemon().unstarted(task));
    private LoopTally previous = new LoopTally();
    private long refusedBefore;
    private long evictionsBefore;
    private @Nullable DiskFigures diskBefore;
    private volatile @Nullable ProxySnapshot latest;

    /**
     * Creates the report.
     *
     * @param everySecond called after each window, on this report's thread
     */
    public WindowReport(
            ExchangeServices services,
            ConnectionLimits limits,
            HealthRegistry health,
            ReloadCounts reloads,
            List<LoopContext> contexts,
            Runnable everySecond) {
        this.services = services;
        this.limits = limits;
        this.health = health;
        this.reloads = reloads;
        this.contexts = contexts;
        this.everySecond = everySecond;
    }

    public void start() {
        long wait = SECOND - EpochMicros.now() % SECOND;
        clock.scheduleAtFixedRate(this::tick, wait, SECOND, TimeUnit.MICROSECONDS);
    }

    /**
     * Returns the last second's figures; they are collected now when there are none yet. May block.
     */
    public ProxySnapshot latest() {
        ProxySnapshot known = latest;
        return known == null ? collect() : known;
    }

    private void tick() {
        try {
            collect();
            services.log().refill();
            everySecond.run();
        } catch (RuntimeException e) {
            org.slf4j.LoggerFactory.getLogger(WindowReport.class)
                    .error("A window was not reported", e);
        }
    }

    private synchronized ProxySnapshot collect() {
        LoopTally now = new LoopTally();
        int[] idle = new int[contexts.size()];
        AtomicReferenceArray<LoopTally> parts = new AtomicReferenceArray<>(contexts.size());
        CountDownLatch done = new CountDownLatch(parts.length());
        for (int i = 0; i < parts.length(); i++) {
            int index = i;
            LoopContext context = contexts.get(i);
            context.loop().execute(() -> {
                LoopTally part = new LoopTally();
                context.tally().addTo(part);
                idle[index] = context.idleConnections();
                if (!parts.compareAndSet(index, null, part)) {
                    late.add(part);
                }
                done.countDown();
            });
        }
        boolean all = false;
        try {
            all = done.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ProxySnapshot known = latest;
        boolean complete = all || known == null;
        long idleClients = 0;
        for (int i = 0; i < parts.length(); i++) {
            LoopTally part = parts.getAndSet(i, CLOSED);
            if (part == null) {
                continue;
            }
            if (complete) {
                part.addTo(now);
                idleClients += idle[i];
            } else {
                late.add(part);
            }
        }
        if (!complete && known != null) {
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
                pools(now.pools, previous.pools, partition),
                disk == null ? null : tier(disk, diskBefore, tier != null && !tier.isOpen()),
                buffers(buffers));
        totals.addTo(hits, misses, origins);
        ProxySnapshot figures = new ProxySnapshot(
                services.log().service(),
                startedMicros,
                atMicros,
                now,
                new ProxySnapshot.Clients(
                        idleClients,
                        limits.clients().refused(),
                        limits.clients().refusedPerClient(),
                        limits.reclamation().figures(),
                        buffers),
                new ProxySnapshot.Cache(
                        services.cache().bytes(),
                        services.cache().parts(),
                        services.cache().settings().policy(),
                        services.cache().settings().memoryBytes(),
                        services.cache().objects(),
                        services.cache().evictions(),
                        services.cache().noRoom(),
                        partition,
                        disk),
                new ProxySnapshot.Origins(
                        services.inFlight().size(),
                        health.figures(),
                        services.readAhead().figures()),
                reloads.figures(),
                new ProxySnapshot.Times(hits.copy(), misses.copy(), origins.copy()));
        previous = now;
        diskBefore = disk;
        refusedBefore = figures.clients().refused();
        evictionsBefore = figures.cache().evictions();
        latest = figures;
        services.log().sink().accept(window);
        return figures;
    }

    private static ProxyWindow.Pools pools(
            PoolTally now, PoolTally previous, PartitionFigures partition) {
        return new ProxyWindow.Pools(
                partition.wholeBytes(),
                partition.guarded().bytes(),
                partition.targetBytes(),
                partition.guarded().unreferencedBytes(),
                partition.normal().bytes(),
                partition.normal().unreferencedBytes(),
                now.protectedHits - previous.protectedHits,
                now.protectedMisses - previous.protectedMisses,
                now.normalHits - previous.normalHits,
                now.normalMisses - previous.normalMisses);
    }

    /**
     * Returns the disk tier's part of the window.
     *
     * @param closed the state now; it is used for the whole second
     */
    private static ProxyWindow.Tier tier(
            DiskFigures now, @Nullable DiskFigures previous, boolean closed) {
        return new ProxyWindow.Tier(
                now.space().bytes(),
                now.space().limitBytes(),
                now.space().records(),
                now.reads().found() - (previous == null ? 0 : previous.reads().found()),
                unread(now) - (previous == null ? 0 : unread(previous)),
                now.writes().written()
                        - (previous == null ? 0 : previous.writes().written()),
                closed ? SECOND : 0,
                now.space().protectedBytes());
    }

    private static long unread(DiskFigures disk) {
        return disk.reads().unread().values().stream()
                .mapToLong(Long::longValue)
                .sum();
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
                new ProxyWindow.Exchanges(
                        now.requests - previous.requests,
                        now.responses - previous.responses,
                        now.inFlight,
                        now.sentBytes - previous.sentBytes,
                        now.exchangesNotListed - previous.exchangesNotListed),
                new ProxyWindow.Outcomes(
                        now.hits - previous.hits,
                        now.stale - previous.stale,
                        now.revalidated - previous.revalidated,
                        now.collapsed - previous.collapsed,
                        now.misses - previous.misses,
                        now.passes + now.tunnels - previous.passes - previous.tunnels,
                        now.errors - previous.errors),
                new ProxyWindow.Origins(
                        now.origin.requests - previous.origin.requests,
                        now.origin.failures - previous.origin.failures,
                        now.origin.receivedBytes - previous.origin.receivedBytes),
                new ProxyWindow.Connections(
                        now.clientConnections,
                        idleClients,
                        now.origin.connections,
                        now.origin.idleConnections,
                        limits.clients().refused() - refusedBefore,
                        buffers),
                new ProxyWindow.Cache(
                        services.cache().bytes(),
                        services.cache().settings().memoryBytes(),
                        services.cache().objects(),
                        services.cache().evictions() - evictionsBefore,
                        pools,
                        tier),
                new ProxyWindow.Times(totals.hits(), totals.misses(), totals.origins()));
    }

    @Override
    public void close() {
        clock.shutdownNow();
        collect();
    }
}
