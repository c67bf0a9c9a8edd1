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
 * The thread that asks for readings, has them judged and says so: once a second. What it learned is
 * written down at each bucket's end and at the close. Other threads see what was decided last
 * ({@link #view}) and may order ({@link #order}).
 */
public final class PeakMonitor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PeakMonitor.class);
    private static final int HISTORY = 100;

    /** What follows from a decision. All on the watch's thread. */
    public interface Consequences {
        void peak(boolean peak);

        /** A peak that was really one is over: remember what it needed. */
        default void remember() {}

        /** It is quiet: what can be done in advance. */
        default void quiet() {}

        /** A usual peak comes soon: what it needed last time. */
        default void prepare() {}
    }

    private final Supplier<SecondReading> readings;
    private final Consequences consequences;
    private final @Nullable Path file;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-peak").daemon().unstarted(task));
    // Guarded by this.
    private final PeakHistory rhythm;
    private final PeakDecision decision;
    private final Deque<PeakDecision.Now> history = new ArrayDeque<>();
    private long switches;
    private int bucket = -1;
    private @Nullable SecondReading last;

    /** @param file where the rhythm is kept; absent: nowhere */
    public PeakMonitor(
            PeakSettings settings,
            PeakHistory rhythm,
            @Nullable Path file,
            long startMillis,
            Supplier<SecondReading> readings,
            Consequences consequences) {
        this.rhythm = rhythm;
        this.file = file;
        this.readings = readings;
        this.consequences = consequences;
        if (file != null) {
            try {
                int unread = PeakHistoryFile.read(file, rhythm);
                if (unread > 0) {
                    LOG.warn("{}: {} lines could not be read", file, unread);
                }
            } catch (IOException e) {
                LOG.warn("{}: {}", file, e.getMessage());
            }
        }
        this.decision = new PeakDecision(settings, rhythm, startMillis);
    }

    public void start() {
        clock.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        try {
            take(readings.get());
        } catch (RuntimeException e) {
            LOG.error("A second was not judged", e);
        }
    }

    /** One second more. */
    void take(SecondReading second) {
        boolean switched;
        boolean came;
        boolean soon;
        boolean turned;
        PeakDecision.Now now;
        synchronized (this) {
            PeakDecision.Now before = decision.now();
            switched = decision.take(second);
            now = decision.now();
            last = second;
            if (switched) {
                switches++;
                history.addLast(now);
                if (history.size() > HISTORY) {
                    history.removeFirst();
                }
            }
            came = switched && !now.peak() && before.ground() == PeakDecision.Ground.PRESSED;
            PeakHistory.Expected next = decision.next(second.atMillis());
            soon = next != null
                    && second.atMillis() >= next.heldFromMillis() - rhythm.dayMillis() / 96;
            int here = rhythm.bucket(second.atMillis());
            turned = bucket >= 0 && here != bucket;
            bucket = here;
        }
        if (switched) {
            LOG.info(
                    "{}: {}",
                    now.peak() ? "Peak: memory only" : "Off-peak: memory and disk",
                    now.reason());
            consequences.peak(now.peak());
        }
        if (came) {
            consequences.remember();
        }
        if (!now.peak()) {
            if (soon) {
                consequences.prepare();
            } else {
                consequences.quiet();
            }
        }
        if (turned) {
            keep();
        }
    }

    private synchronized void keep() {
        if (file != null) {
            try {
                PeakHistoryFile.write(file, rhythm);
            } catch (IOException e) {
                LOG.warn("{}: {}", file, e.getMessage());
            }
        }
    }

    /** Other limits from now on. Any thread. */
    public synchronized void ruleBy(PeakSettings next) {
        decision.ruleBy(next);
    }

    /**
     * An administrator's word; it counts at the next second.
     *
     * @param next absent: decide by yourself again
     */
    public synchronized void order(PeakDecision.@Nullable Order next) {
        decision.order(next);
    }

    public synchronized PeakView view(long nowMillis) {
        PeakDecision.Order order = decision.order();
        return new PeakView(
                decision.now(),
                order == null ? null : order.untilMillis(),
                last,
                decision.demand().usual(),
                rhythm.usual(nowMillis),
                decision.next(nowMillis),
                switches,
                List.copyOf(history));
    }

    @Override
    public void close() {
        clock.shutdownNow();
        keep();
    }
}
