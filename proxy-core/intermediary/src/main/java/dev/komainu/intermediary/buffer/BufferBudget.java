package dev.komainu.intermediary.buffer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The budget for the socket buffers of all loops (E²-ATBT). Once a second every loop reports the
 * demands of its connections in use and the shares of its idle ones. The rest of the budget is
 * shared max-min, which is one number, the {@link MaxMinShares level}; each loop derives the shares
 * of its connections from it. When not all demands can be met, idle connections give up their
 * shares first. Between two rounds, new connections and idle ones that are used again take free
 * bytes.
 *
 * <pre>
 *   budget = shares in use + shares of idle connections + free        while the floors of all fit
 * </pre>
 *
 * Thread-safe; the rounds run on a thread of their own.
 */
// The scheduled task logs its own failures.
@SuppressWarnings("FutureReturnValueIgnored")
public final class BufferBudget implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BufferBudget.class);
    private static final long SURVEY_TIMEOUT_MILLIS = 300;

    private final List<BufferLoop> loops = new CopyOnWriteArrayList<>();
    /** The last report of each loop. Accessed by the thread of the rounds only. */
    private final IdentityHashMap<BufferLoop, BufferLoop.Survey> lastSurveys =
            new IdentityHashMap<>();

    private final FreeBytes free;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-buffers").daemon().unstarted(task));
    private volatile BufferSettings settings;
    private volatile BufferFigures figures;
    /** As of the last round. */
    private volatile long boundBytes;
    /** The part of {@link #boundBytes} released since the last round. */
    private final AtomicLong releasedBytes = new AtomicLong();

    public BufferBudget(BufferSettings settings) {
        this.settings = settings;
        this.free = new FreeBytes(settings.budgetBytes());
        this.figures = BufferFigures.none(settings);
    }

    public BufferSettings settings() {
        return settings;
    }

    /** Puts new settings in force. The caller notifies the loops. */
    public void reload(BufferSettings next) {
        free.add(next.budgetBytes() - settings.budgetBytes());
        settings = next;
        figures = BufferFigures.none(next);
    }

    /** Adds a loop to the rounds. Any thread. */
    public void join(BufferLoop loop) {
        loops.add(loop);
    }

    /** Starts the rounds, one a second. */
    public void start() {
        scheduler.scheduleWithFixedDelay(this::redistributeSafely, 1, 1, TimeUnit.SECONDS);
    }

    /**
     * Reserves bytes for a new connection.
     *
     * @return the requested bytes as far as they are free, and at least the floor
     */
    long reserve(long bytes) {
        free.add(-BufferDemand.FLOOR_BYTES);
        return BufferDemand.FLOOR_BYTES + free.forNewcomer(bytes - BufferDemand.FLOOR_BYTES);
    }

    /**
     * Reserves bytes for an idle connection that is used again.
     *
     * @return the requested bytes as far as they are free
     */
    long reserveAgain(long bytes) {
        return free.forNewcomer(bytes);
    }

    /**
     * Reserves bytes for a connection that has used up its share.
     *
     * @return the requested bytes as far as they are free for a share of this size
     */
    long reserveGrowth(long share, long bytes) {
        return free.forGrowth(share, bytes);
    }

    /**
     * Releases the share of a connection that has closed.
     *
     * @param idle whether the connection was idle
     */
    void release(long bytes, boolean idle) {
        free.add(bytes);
        releasedBytes.addAndGet(
                idle ? idleBytes(1, bytes) : Math.min(bytes, BufferDemand.FLOOR_BYTES));
    }

    /** Returns the part of idle connections' shares that decay does not free. */
    private long idleBytes(int connections, long bytes) {
        return settings.idleDecay().decays()
                ? Math.min(bytes, connections * BufferReservation.MIN_IDLE_BYTES)
                : bytes;
    }

    /**
     * Returns the bytes that cannot be shared otherwise while their connections exist: the floors
     * of those in use, and the shares that idle ones keep. A value above the budget means that the
     * budget cannot be kept.
     */
    public long boundBytes() {
        return settings.scheme() == BufferScheme.EQUATION
                ? Math.max(0, boundBytes - releasedBytes.get())
                : 0;
    }

    private void redistributeSafely() {
        try {
            if (settings.scheme() == BufferScheme.EQUATION) {
                redistribute();
            }
        } catch (RuntimeException e) {
            LOG.error("Socket buffers could not be shared", e);
        }
    }

    void redistribute() {
        BufferSettings now = settings;
        List<BufferLoop.Survey> surveys = surveys();
        long idle = 0;
        int idleCount = 0;
        int count = 0;
        for (BufferLoop.Survey survey : surveys) {
            idle += survey.idleBytes();
            idleCount += survey.idle();
            count += survey.demands().length;
        }
        boundBytes = count * BufferDemand.FLOOR_BYTES + idleBytes(idleCount, idle);
        releasedBytes.set(0);
        long[] demands = new long[count];
        int index = 0;
        for (BufferLoop.Survey survey : surveys) {
            System.arraycopy(survey.demands(), 0, demands, index, survey.demands().length);
            index += survey.demands().length;
        }
        long toShare = now.budgetBytes() - free.nextReserve(now.budgetBytes());
        long level = MaxMinShares.level(demands, count, toShare - idle);
        boolean underPressure =
                now.idleDecay() == IdleDecay.PRESSED && count > 0 && demands[count - 1] > level;
        if (underPressure) {
            idle = Math.min(idle, idleCount * BufferReservation.MIN_IDLE_BYTES);
            level = MaxMinShares.level(demands, count, toShare - idle);
        }
        long used = 0;
        for (long demand : demands) {
            used += BufferDemand.share(demand, level);
        }
        free.setFree(now.budgetBytes() - idle - used, level);
        long newLevel = level;
        for (BufferLoop loop : loops) {
            execute(loop, () -> {
                if (underPressure) {
                    loop.shrinkIdle();
                }
                loop.setLevel(newLevel);
            });
        }
        figures = figures(now, surveys, demands.length, used, idle, level);
    }

    private BufferFigures figures(
            BufferSettings now,
            List<BufferLoop.Survey> surveys,
            int inUse,
            long used,
            long idleBytes,
            long level) {
        int idle = 0;
        int waiting = 0;
        long waits = 0;
        long reads = 0;
        List<BufferFigures.FlowFigures> flows = new ArrayList<>();
        for (BufferLoop.Survey survey : surveys) {
            idle += survey.idle();
            waiting += survey.waiting();
            waits += survey.waits();
            reads += survey.infoReads();
            flows.addAll(survey.flows());
        }
        return new BufferFigures(
                now.scheme(),
                now.budgetBytes(),
                inUse,
                idle,
                used,
                idleBytes,
                now.budgetBytes() - idleBytes - used,
                level,
                waiting,
                waits,
                reads,
                List.copyOf(flows));
    }

    /**
     * Collects the reports of all loops. A loop that is busy for long counts with its last report:
     * it keeps its shares. A loop that has ended does not count.
     */
    private List<BufferLoop.Survey> surveys() {
        AtomicReferenceArray<BufferLoop.Survey> all = new AtomicReferenceArray<>(loops.size());
        CountDownLatch reported = new CountDownLatch(all.length());
        for (int i = 0; i < all.length(); i++) {
            int index = i;
            BufferLoop loop = loops.get(i);
            if (!execute(loop, () -> {
                all.set(index, loop.survey());
                reported.countDown();
            })) {
                lastSurveys.remove(loop);
                reported.countDown();
            }
        }
        try {
            if (!reported.await(SURVEY_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.debug("An event loop is busy: its connections keep their shares");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (int i = 0; i < all.length(); i++) {
            BufferLoop.Survey survey = all.get(i);
            if (survey != null) {
                lastSurveys.put(loops.get(i), survey);
            }
        }
        return List.copyOf(lastSurveys.values());
    }

    private static boolean execute(BufferLoop loop, Runnable task) {
        try {
            loop.loop().execute(task);
            return true;
        } catch (RejectedExecutionException ending) {
            return false;
        }
    }

    /** Returns the figures of the last round. */
    public BufferFigures figures() {
        return figures;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
