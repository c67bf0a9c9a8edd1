package dev.komainu.central.alert;

import dev.komainu.central.control.ControlRetry;
import dev.komainu.central.indices.LocalizedText;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The writer of alert steps: stores them and queues their notices, on a thread of its own, so that
 * neither the database nor a disk blocks the assessment. An alert and its deliveries are stored in
 * one transaction. After a crash both are stored or neither is; in the second case the alert fires
 * again. While the database is away, the steps wait in their order.
 *
 * <p>The thread is never interrupted: an interrupt in the middle of a write would close the
 * database's file.
 */
public final class AlertKeeper implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(AlertKeeper.class);

    private static final int QUEUE = 10_000;
    private static final int TRIES = 3;
    private static final long DISK_EVERY_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long FORGET_EVERY_NANOS = Duration.ofHours(6).toNanos();

    private final AlertTable table;
    private final Silences silences;
    private final NoticeQueue notices;
    private final DiskUse disk;
    private final AlertSettings settings;
    private final TransactionOperations transactions;
    private final Clock clock;
    private final Counter lost;
    private final Counter notStored;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final BlockingQueue<List<AlertStep>> queue = new LinkedBlockingQueue<>(QUEUE);
    private final ControlRetry retry;
    /** The writer's thread only. */
    private long measuredNanos = System.nanoTime();

    private volatile boolean running;
    private volatile @Nullable Thread thread;

    AlertKeeper(
            AlertTable table,
            Silences silences,
            NoticeQueue notices,
            DiskUse disk,
            AlertSettings settings,
            TransactionOperations transactions,
            Clock clock,
            MeterRegistry meters) {
        this(
                table,
                silences,
                notices,
                disk,
                settings,
                transactions,
                clock,
                meters,
                new ControlRetry());
    }

    AlertKeeper(
            AlertTable table,
            Silences silences,
            NoticeQueue notices,
            DiskUse disk,
            AlertSettings settings,
            TransactionOperations transactions,
            Clock clock,
            MeterRegistry meters,
            ControlRetry retry) {
        this.retry = retry;
        this.table = table;
        this.silences = silences;
        this.notices = notices;
        this.disk = disk;
        this.settings = settings;
        this.transactions = transactions;
        this.clock = clock;
        this.lost = Counter.builder("komainu.alerts.lost")
                .tag("reason", "queue-full")
                .description("Alert steps that were neither stored nor notified")
                .register(meters);
        this.notStored = Counter.builder("komainu.alerts.lost")
                .tag("reason", "database")
                .description("Alert steps that were neither stored nor notified")
                .register(meters);
    }

    /**
     * Adds a listener that is called after steps were stored, on the writer's thread. It must
     * return at once.
     */
    public void addListener(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Queues steps for the writer and returns at once. Steps are dropped and counted when the queue
     * is full.
     */
    void accept(List<AlertStep> steps) {
        if (!queue.offer(steps)) {
            lost.increment(steps.size());
        }
    }

    /**
     * Reports an event to all receivers and to the history of alerts. Returns at once. No rule and
     * no silence keeps it back.
     */
    public void report(AlertKind kind, String ruleName, String subject, String en, String ja) {
        Alert event =
                Alert.event(kind, ruleName, subject, LocalizedText.of(en, ja), clock.instant());
        accept(List.of(new AlertStep(event, NoticeReason.FIRING, List.of())));
    }

    /** Stores the steps and queues their notices, on the caller's thread. */
    void store(List<AlertStep> steps) {
        for (AlertStep step : steps) {
            store(step);
        }
        listeners.forEach(Runnable::run);
    }

    private void store(AlertStep step) {
        NoticeReason reason = step.reason();
        // One notice for all attempts, so that a repeated one is recognized.
        Notice notice = reason == null ? null : new Notice(reason, step.alert(), clock.instant());
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            try {
                AtomicReference<Runnable> delivery = new AtomicReference<>(() -> {});
                boolean stored = retry.run(
                        () -> delivery.set(Objects.requireNonNull(
                                transactions.<Runnable>execute(status -> {
                                    table.save(step.alert());
                                    return notice == null
                                            ? () -> {}
                                            : notices.accept(notice, step.receivers());
                                }))),
                        this::goesOn);
                if (stored) {
                    Objects.requireNonNull(delivery.get()).run();
                    return;
                }
                break; // the service stops during an outage
            } catch (DataAccessException | TransactionException e) {
                LOG.warn(
                        "An alert on {} could not be stored (attempt {} of {}): {}",
                        step.alert().subject(),
                        attempt,
                        TRIES,
                        e.toString());
            }
        }
        notStored.increment();
    }

    /** Reports whether to wait for the database; measures the disk meanwhile, as ever. */
    private boolean goesOn() {
        measureIfDue();
        return running;
    }

    private void measureIfDue() {
        if (System.nanoTime() - measuredNanos >= DISK_EVERY_NANOS) {
            measuredNanos = System.nanoTime();
            disk.measure();
        }
    }

    private void run() {
        measuredNanos = System.nanoTime() - DISK_EVERY_NANOS;
        long forgotNanos = System.nanoTime() - FORGET_EVERY_NANOS;
        while (running || !queue.isEmpty()) {
            try {
                List<AlertStep> steps = queue.poll(500, TimeUnit.MILLISECONDS);
                if (steps != null) {
                    store(steps);
                }
                measureIfDue();
                if (System.nanoTime() - forgotNanos >= FORGET_EVERY_NANOS) {
                    forgotNanos = System.nanoTime();
                    deleteOld();
                }
            } catch (InterruptedException e) {
                return; // never interrupted by this service
            } catch (RuntimeException e) {
                LOG.warn("Alerts: {}", e.toString(), e);
            }
        }
    }

    private void deleteOld() {
        Instant now = clock.instant();
        table.forgetEnded(now, settings.historyDays());
        silences.forgetEnded(now, settings.historyDays());
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        disk.measure();
        thread = Thread.ofPlatform().name("alerts").daemon().start(this::run);
    }

    /** Stores the queued steps before the thread ends; waits 5 s at most. */
    @Override
    public synchronized void stop() {
        running = false;
        Thread ending = thread;
        if (ending != null) {
            try {
                ending.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
