package dev.komainu.proxy.peak;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the measurements once a second, has them evaluated and applies the
 * decision. The history is written at each bucket's end and at the close. Other threads read the
 * last decision ({@link #view}) and may give orders ({@link #order}).
 */
// The periodic task handles its own failures.
@SuppressWarnings("FutureReturnValueIgnored")
public final class PeakMonitor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PeakMonitor.class);
    private static final int MAX_DECISIONS = 100;

    /** Receives the decisions. All calls are on the monitor's thread. */
    public interface Consequences {
        void peak(boolean peak);

        /** Called when a peak caused by load is over: stores the responses that it needed. */
        default void remember() {}

        /** Called off-peak: does work in advance. */
        default void quiet() {}

        /** Called shortly before a usual peak: restores the responses that the last one needed. */
        default void prepare() {}
    }

    private final Supplier<SecondReading> readings;
    private final Consequences consequences;
    private final @Nullable Path file;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-peak").daemon().unstarted(task));
    // Guarded by this.
    private final PeakHistory peakHistory;
    private final PeakDecision decision;
    private final Deque<PeakDecision.Now> history = new ArrayDeque<>();
    private long switches;
    private int bucket = -1;
    private @Nullable SecondReading last;

    /**
     * Creates a monitor.
     *
     * @param file file of the history; null: not stored
     */
    public PeakMonitor(
            PeakSettings settings,
            PeakHistory peakHistory,
            @Nullable Path file,
            long startMillis,
            Supplier<SecondReading> readings,
            Consequences consequences) {
        this.peakHistory = peakHistory;
        this.file = file;
        this.readings = readings;
        this.consequences = consequences;
        if (file != null) {
            try {
                int unread = PeakHistoryFile.read(file, peakHistory);
                if (unread > 0) {
                    LOG.warn("{}: {} lines could not be read", file, unread);
                }
            } catch (IOException e) {
                LOG.warn("{}: {}", file, e.getMessage());
            }
        }
        this.decision = new PeakDecision(settings, peakHistory, startMillis);
    }

    public void start() {
        clock.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        try {
            add(readings.get());
        } catch (RuntimeException e) {
            LOG.error("The readings of a second were not evaluated", e);
        }
    }

    /** Evaluates one more second. */
    void add(SecondReading second) {
        boolean switched;
        boolean peakEnded;
        boolean peakSoon;
        boolean bucketEnded;
        PeakDecision.Now now;
        synchronized (this) {
            PeakDecision.Now before = decision.now();
            switched = decision.add(second);
            now = decision.now();
            last = second;
            if (switched) {
                switches++;
                history.addLast(now);
                if (history.size() > MAX_DECISIONS) {
                    history.removeFirst();
                }
            }
            peakEnded = switched && !now.peak() && before.ground() == PeakDecision.Ground.PRESSED;
            PeakHistory.Expected next = decision.next(second.atMillis());
            peakSoon = next != null
                    && second.atMillis() >= next.heldFromMillis() - peakHistory.dayMillis() / 96;
            int currentBucket = peakHistory.bucket(second.atMillis());
            bucketEnded = bucket >= 0 && currentBucket != bucket;
            bucket = currentBucket;
        }
        if (switched) {
            LOG.info(
                    "{}: {}",
                    now.peak() ? "Peak: memory only" : "Off-peak: memory and disk",
                    now.reason());
            consequences.peak(now.peak());
        }
        if (peakEnded) {
            consequences.remember();
        }
        if (!now.peak()) {
            if (peakSoon) {
                consequences.prepare();
            } else {
                consequences.quiet();
            }
        }
        if (bucketEnded) {
            writeHistory();
        }
    }

    private synchronized void writeHistory() {
        if (file != null) {
            try {
                PeakHistoryFile.write(file, peakHistory);
            } catch (IOException e) {
                LOG.warn("{}: {}", file, e.getMessage());
            }
        }
    }

    /** Applies other limits. Thread-safe. */
    public synchronized void reload(PeakSettings next) {
        decision.reload(next);
    }

    /**
     * Sets an administrator's order; it applies from the next second.
     *
     * @param next null ends the present order
     */
    public synchronized void order(PeakDecision.@Nullable Order next) {
        decision.order(next);
    }

    /** Returns the present decision. Thread-safe. */
    public synchronized PeakView view(long nowMillis) {
        PeakDecision.Order order = decision.order();
        return new PeakView(
                decision.now(),
                order == null ? null : order.untilMillis(),
                last,
                decision.demand().usual(),
                peakHistory.usual(nowMillis),
                decision.next(nowMillis),
                switches,
                List.copyOf(history));
    }

    @Override
    public void close() {
        clock.shutdownNow();
        writeHistory();
    }
}
