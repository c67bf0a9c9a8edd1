package dev.komainu.central.union;

import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SourceSelection;
import dev.komainu.central.store.StoreException;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The thread that stores settled seconds, as windows of the source {@link SourceSelection#UNION},
 * and settles those that no batch settles because their sources are silent. So ranges of the store
 * equal the rings. For seconds that were not stored when the process was killed, one source is
 * selected. Seconds that wait while the store fails are bounded;
 * {@code komainu_union_windows_lost_total} counts those beyond.
 */
public final class UnionWriter implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(UnionWriter.class);

    /** Windows that wait while the store is slow; beyond, they are left out. */
    private static final int MOST_WAITING = 20_000;

    static final String THREAD = "komainu-union";

    private static final int MOST_IN_BATCH = 5_000;
    private static final long PAUSE_MILLIS = 500;
    private static final long LONGEST_STOP_MILLIS = 5_000;

    private final ServiceUnions unions;
    private final RecordStore store;
    private final BlockingQueue<ServiceWindow> waiting;
    private final Counter lost;
    private final long epoch;
    private volatile @Nullable Thread thread;

    // Guarded by this.
    private long sequence;
    private @Nullable Batch unconfirmed;

    /** Creates a writer that is not started. */
    public UnionWriter(
            ServiceUnions unions, RecordStore store, Clock clock, MeterRegistry registry) {
        this(unions, store, clock, registry, MOST_WAITING);
    }

    UnionWriter(
            ServiceUnions unions,
            RecordStore store,
            Clock clock,
            MeterRegistry registry,
            int mostWaiting) {
        this.unions = unions;
        this.store = store;
        this.waiting = new ArrayBlockingQueue<>(mostWaiting);
        this.lost = registry.counter("komainu.union.windows.lost");
        this.epoch = clock.millis() * 1_000;
        unions.listen((service, second) -> accept(second.window()));
    }

    private void accept(ServiceWindow window) {
        if (waiting.offer(window)) {
            return;
        }
        lost.increment();
        if ((long) lost.count() % MOST_IN_BATCH == 1) {
            LOG.warn("Union: {} windows not stored, the store is slow", (long) lost.count());
        }
    }

    @Override
    public void start() {
        // The thread runs as long as the field names it, so the field is set first.
        Thread created = Thread.ofPlatform().name(THREAD).daemon().unstarted(this::run);
        thread = created;
        created.start();
    }

    private void run() {
        while (thread == Thread.currentThread()) {
            try {
                unions.settleAll();
                write();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                break;
            } catch (RuntimeException e) {
                LOG.error("Union: seconds not settled: {}", e.toString(), e);
            }
        }
    }

    /** Stores what waits. A batch that failed is sent again first: it may have been stored. */
    synchronized void write() throws InterruptedException {
        while (unconfirmed != null || !waiting.isEmpty()) {
            Batch batch = unconfirmed == null ? nextBatch() : unconfirmed;
            unconfirmed = batch;
            try {
                store.append(batch);
                unconfirmed = null;
            } catch (StoreException e) {
                LOG.warn("Union: seconds not stored, retry later: {}", e.getMessage());
                return;
            }
        }
    }

    private Batch nextBatch() {
        List<TelemetryRecord> windows = new ArrayList<>();
        waiting.drainTo(windows, MOST_IN_BATCH);
        return new Batch(new BatchId(SourceSelection.UNION, epoch, ++sequence), windows);
    }

    @Override
    public void stop() {
        Thread running = thread;
        thread = null;
        if (running != null) {
            try {
                running.join(LONGEST_STOP_MILLIS);
                write();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
