package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The monitor of the resources; it reads each of them ten times a second. While a resource is
 * short, it closes the longest idle connections over all loops. The loops report the ages of their
 * oldest connections, the monitor finds the age of the youngest one to close, and each loop closes
 * connections of that age. While nothing is short, the loops are only read for the figures, once a
 * second.
 *
 * <p>It has a thread of its own; only that thread (or a test) calls {@link #check}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // checkSafely logs exceptions
public final class ResourceMonitor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ResourceMonitor.class);
    private static final long CHECK_MILLIS = 100;
    private static final int CHECKS_PER_SECOND = 10;
    private static final long TIMEOUT_MILLIS = 100;
    /** The largest number of connections that one check closes for one resource. */
    private static final int MAX_PER_CHECK = 4096;
    /**
     * The minimum number to close in each check when the number needed is unknown; else a sixteenth
     * of all.
     */
    private static final int PORTION = 16;

    private static final long[] AGE_NANOS = ReclaimFigures.AGE_SECONDS.stream()
            .mapToLong(TimeUnit.SECONDS::toNanos)
            .toArray();

    private final Reclamation reclamation;
    private final List<LimitedResource> resources;
    private final LongSupplier baseNanos;
    private final boolean[] isShort;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-resources").daemon().unstarted(task));
    private int checks;

    /**
     * Creates the monitor.
     *
     * @param baseNanos supplies {@code connections.idle-timeout}
     */
    public ResourceMonitor(
            Reclamation reclamation, List<LimitedResource> resources, LongSupplier baseNanos) {
        this.reclamation = reclamation;
        this.resources = List.copyOf(resources);
        this.baseNanos = baseNanos;
        this.isShort = new boolean[resources.size()];
    }

    public void start() {
        clock.scheduleWithFixedDelay(
                this::checkSafely, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void checkSafely() {
        try {
            check();
        } catch (RuntimeException e) {
            LOG.error("Resources could not be checked", e);
        }
    }

    void check() {
        ReclaimSettings settings = reclamation.settings();
        List<ReclaimFigures.Level> levels = new ArrayList<>(resources.size());
        double fullest = 0;
        for (int i = 0; i < isShort.length; i++) {
            LimitedResource resource = resources.get(i);
            ResourceUse now = resource.read();
            ShortageThreshold threshold = settings.of(resource.reason());
            isShort[i] = threshold.isShort(now, isShort[i]);
            levels.add(new ReclaimFigures.Level(
                    resource.reason(), now.used(), now.limit(), threshold, isShort[i]));
            if (resource.isFreedBy(ConnectionSide.CLIENT)) {
                fullest = Math.max(fullest, now.share());
            }
        }
        reclamation.fullest(fullest);
        if (settings.enabled()) {
            reclaim(levels);
        }
        if (checks++ % CHECKS_PER_SECOND == 0) {
            publish(settings, levels);
        }
    }

    private void reclaim(List<ReclaimFigures.Level> levels) {
        long now = System.nanoTime();
        OldestConnections oldest = null;
        for (int i = 0; i < isShort.length; i++) {
            if (isShort[i]) {
                if (oldest == null) {
                    oldest = new OldestConnections(collect(loop -> oldest(loop, now)));
                }
                ReclaimFigures.Level level = levels.get(i);
                reclaim(
                        resources.get(i),
                        level.threshold().excess(new ResourceUse(level.used(), level.limit())),
                        oldest,
                        now);
            }
        }
    }

    private static long[][] oldest(IdleLoop loop, long now) {
        long[][] ages = new long[ConnectionSide.values().length][];
        for (ConnectionSide side : ConnectionSide.values()) {
            long[] sideAges = new long[Math.min(MAX_PER_CHECK, loop.idle(side).size())];
            loop.idle(side).oldestAges(now, sideAges, 0, sideAges.length);
            ages[side.ordinal()] = sideAges;
        }
        return ages;
    }

    /**
     * Closes connections for a short resource.
     *
     * @param excess the units above the end of the shortage
     */
    private void reclaim(
            LimitedResource resource, long excess, OldestConnections oldest, long now) {
        long needed = resource.countsConnections()
                ? excess
                : Math.max(PORTION, oldest.size(resource) / PORTION);
        int[] before = new int[ConnectionSide.values().length];
        for (ConnectionSide side : ConnectionSide.values()) {
            before[side.ordinal()] = oldest.selected(side);
        }
        // A connection closed for another resource frees this one, too.
        long left = Math.min(MAX_PER_CHECK, needed - oldest.selected(resource));
        while (left > 0 && oldest.select(resource)) {
            left--;
        }
        for (ConnectionSide side : ConnectionSide.values()) {
            if (oldest.selected(side) > before[side.ordinal()]) {
                long since = now - oldest.youngestAgeNanos(side);
                for (IdleLoop loop : reclamation.loops()) {
                    execute(loop, () -> loop.reclaim(side, since, resource.reason()));
                }
            }
        }
    }

    private void publish(ReclaimSettings settings, List<ReclaimFigures.Level> levels) {
        long now = System.nanoTime();
        int classes = AGE_NANOS.length + 1;
        int[] ages = new int[2 * classes];
        for (int[] part : collect(loop -> {
            int[] clients = new int[classes];
            int[] origins = new int[classes];
            loop.idle(ConnectionSide.CLIENT).countAges(now, AGE_NANOS, clients);
            loop.idle(ConnectionSide.ORIGIN).countAges(now, AGE_NANOS, origins);
            int[] both = Arrays.copyOf(clients, 2 * classes);
            System.arraycopy(origins, 0, both, classes, classes);
            return both;
        })) {
            for (int i = 0; i < ages.length; i++) {
                ages[i] += part[i];
            }
        }
        List<ReclaimFigures.Closed> closed = new ArrayList<>();
        for (ConnectionSide side : ConnectionSide.values()) {
            for (CloseReason why : CloseReason.values()) {
                if (why.concerns(side)) {
                    long count = reclamation.counts().closedSoFar(side, why);
                    closed.add(new ReclaimFigures.Closed(side, why, count));
                }
            }
        }
        reclamation.publish(new ReclaimFigures(
                settings.enabled(),
                TimeUnit.NANOSECONDS.toMillis(reclamation.clientIdleNanos(baseNanos.getAsLong())),
                List.copyOf(levels),
                IntStream.range(0, classes).mapToObj(i -> ages[i]).toList(),
                IntStream.range(classes, 2 * classes).mapToObj(i -> ages[i]).toList(),
                List.copyOf(closed)));
    }

    /** Returns the results of all loops; a loop that is busy for too long has none. */
    private <T> List<T> collect(Function<IdleLoop, T> query) {
        List<IdleLoop> loops = reclamation.loops();
        AtomicReferenceArray<@Nullable T> results = new AtomicReferenceArray<>(loops.size());
        CountDownLatch done = new CountDownLatch(results.length());
        for (int i = 0; i < results.length(); i++) {
            int index = i;
            IdleLoop loop = loops.get(i);
            if (!execute(loop, () -> {
                results.set(index, query.apply(loop));
                done.countDown();
            })) {
                done.countDown();
            }
        }
        try {
            if (!done.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.debug("An event loop is busy: this check leaves out its idle connections");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<T> received = new ArrayList<>(results.length());
        for (int i = 0; i < results.length(); i++) {
            T result = results.get(i);
            if (result != null) {
                received.add(result);
            }
        }
        return received;
    }

    private static boolean execute(IdleLoop loop, Runnable task) {
        try {
            loop.loop().execute(task);
            return true;
        } catch (RejectedExecutionException ending) {
            return false;
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
