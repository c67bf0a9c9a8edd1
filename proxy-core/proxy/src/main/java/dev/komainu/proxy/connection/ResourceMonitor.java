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
 * Looks at every resource ten times a second. One that is short lets the connections go that are
 * idle for longest, over all loops, until it is short no more: the loops tell how old their oldest
 * are, the age of the last one that must go is found among them, and each loop closes who is that
 * old. Nothing is asked of the loops while nothing is short, but for the figures once a second.
 *
 * <p>A thread of its own; {@link #look} is called by it alone (or by a test).
 */
public final class ResourceMonitor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ResourceMonitor.class);
    private static final long LOOK_MILLIS = 100;
    private static final int LOOKS_A_SECOND = 10;
    private static final long PATIENCE_MILLIS = 100;
    /** Closed for one resource at one look, at most. */
    private static final int MOST_AT_A_LOOK = 4096;
    /**
     * Where nobody knows how many must go: at least so many at each look, or a sixteenth of all.
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
    private int looks;

    /** @param baseNanos {@code connections.idle-timeout} now */
    public ResourceMonitor(
            Reclamation reclamation, List<LimitedResource> resources, LongSupplier baseNanos) {
        this.reclamation = reclamation;
        this.resources = List.copyOf(resources);
        this.baseNanos = baseNanos;
        this.isShort = new boolean[resources.size()];
    }

    public void start() {
        clock.scheduleWithFixedDelay(
                this::lookAgain, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void lookAgain() {
        try {
            look();
        } catch (RuntimeException e) {
            LOG.error("Resources could not be looked at", e);
        }
    }

    void look() {
        ReclaimSettings settings = reclamation.settings();
        List<ReclaimFigures.Level> levels = new ArrayList<>(resources.size());
        double fullest = 0;
        for (int i = 0; i < isShort.length; i++) {
            LimitedResource resource = resources.get(i);
            ResourceUse now = resource.read();
            ShortageThreshold threshold = settings.of(resource.ending());
            isShort[i] = threshold.isShort(now, isShort[i]);
            levels.add(new ReclaimFigures.Level(
                    resource.ending(), now.used(), now.limit(), threshold, isShort[i]));
            if (resource.isFreedBy(ConnectionSide.CLIENT)) {
                fullest = Math.max(fullest, now.share());
            }
        }
        reclamation.fullest(fullest);
        if (settings.enabled()) {
            reclaim(levels);
        }
        if (looks++ % LOOKS_A_SECOND == 0) {
            tell(settings, levels);
        }
    }

    private void reclaim(List<ReclaimFigures.Level> levels) {
        long now = System.nanoTime();
        OldestConnections oldest = null;
        for (int i = 0; i < isShort.length; i++) {
            if (isShort[i]) {
                if (oldest == null) {
                    oldest = new OldestConnections(ask(loop -> oldest(loop, now)));
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
            long[] mine = new long[Math.min(MOST_AT_A_LOOK, loop.idle(side).size())];
            loop.idle(side).oldestAges(now, mine, 0, mine.length);
            ages[side.ordinal()] = mine;
        }
        return ages;
    }

    /** @param excess units too much */
    private void reclaim(
            LimitedResource resource, long excess, OldestConnections oldest, long now) {
        long wanted = resource.countsConnections()
                ? excess
                : Math.max(PORTION, oldest.size(resource) / PORTION);
        int[] before = new int[ConnectionSide.values().length];
        for (ConnectionSide side : ConnectionSide.values()) {
            before[side.ordinal()] = oldest.taken(side);
        }
        // What goes for another resource's sake is of use to this one, too.
        long left = Math.min(MOST_AT_A_LOOK, wanted - oldest.taken(resource));
        while (left > 0 && oldest.take(resource)) {
            left--;
        }
        for (ConnectionSide side : ConnectionSide.values()) {
            if (oldest.taken(side) > before[side.ordinal()]) {
                long since = now - oldest.leastAgeNanos(side);
                for (IdleLoop loop : reclamation.loops()) {
                    execute(loop, () -> loop.reclaim(side, since, resource.ending()));
                }
            }
        }
    }

    private void tell(ReclaimSettings settings, List<ReclaimFigures.Level> levels) {
        long now = System.nanoTime();
        int classes = AGE_NANOS.length + 1;
        int[] ages = new int[2 * classes];
        for (int[] part : ask(loop -> {
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
        reclamation.told(new ReclaimFigures(
                settings.enabled(),
                TimeUnit.NANOSECONDS.toMillis(reclamation.clientIdleNanos(baseNanos.getAsLong())),
                List.copyOf(levels),
                IntStream.range(0, classes).mapToObj(i -> ages[i]).toList(),
                IntStream.range(classes, 2 * classes).mapToObj(i -> ages[i]).toList(),
                List.copyOf(closed)));
    }

    /** Each loop's answer; of a loop that is busy for long there is none. */
    private <T> List<T> ask(Function<IdleLoop, T> question) {
        List<IdleLoop> loops = reclamation.loops();
        AtomicReferenceArray<@Nullable T> answers = new AtomicReferenceArray<>(loops.size());
        CountDownLatch told = new CountDownLatch(answers.length());
        for (int i = 0; i < answers.length(); i++) {
            int at = i;
            IdleLoop loop = loops.get(i);
            if (!execute(loop, () -> {
                answers.set(at, question.apply(loop));
                told.countDown();
            })) {
                told.countDown();
            }
        }
        try {
            if (!told.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.debug("An event loop is busy: its idle connections are left out of this look");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<T> given = new ArrayList<>(answers.length());
        for (int i = 0; i < answers.length(); i++) {
            T answer = answers.get(i);
            if (answer != null) {
                given.add(answer);
            }
        }
        return given;
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
