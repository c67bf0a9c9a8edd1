package dev.komainu.central.alert;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Writes news down and hands notices to the desk, on a thread of its own, so that neither the
 * database nor a disk holds up the assessment. An alert and its waiting deliveries are one
 * transaction: after a crash both are known or neither is, and then it fires again.
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
    private final NoticeQueue desk;
    private final DiskUse disk;
    private final AlertSettings settings;
    private final TransactionOperations transactions;
    private final Clock clock;
    private final Counter lost;
    private final Counter unkept;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final BlockingQueue<List<AlertStep>> queue = new LinkedBlockingQueue<>(QUEUE);
    private volatile boolean running;
    private volatile @Nullable Thread thread;

    AlertKeeper(
            AlertTable table,
            Silences silences,
            NoticeQueue desk,
            DiskUse disk,
            AlertSettings settings,
            TransactionOperations transactions,
            Clock clock,
            MeterRegistry meters) {
        this.table = table;
        this.silences = silences;
        this.desk = desk;
        this.disk = disk;
        this.settings = settings;
        this.transactions = transactions;
        this.clock = clock;
        this.lost = Counter.builder("komainu.alerts.lost")
                .tag("reason", "queue-full")
                .description("Steps of alerts that were neither written down nor told")
                .register(meters);
        this.unkept = Counter.builder("komainu.alerts.lost")
                .tag("reason", "database")
                .description("Steps of alerts that were neither written down nor told")
                .register(meters);
    }

    /** @param listener called after news were written down, on this thread; must return at once */
    public void addListener(Runnable listener) {
        listeners.add(listener);
    }

    /** Takes news; returns at once. */
    void accept(List<AlertStep> news) {
        if (!queue.offer(news)) {
            lost.increment(news.size());
        }
    }

    /** Writes news down and has told what is to be told. */
    void keep(List<AlertStep> news) {
        for (AlertStep each : news) {
            keep(each);
        }
        listeners.forEach(Runnable::run);
    }

    private void keep(AlertStep news) {
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            try {
                Runnable delivery = transactions.execute(status -> {
                    table.save(news.alert());
                    NoticeReason tell = news.tell();
                    return tell == null
                            ? () -> {}
                            : desk.accept(
                                    new Notice(tell, news.alert(), clock.instant()),
                                    news.receivers());
                });
                delivery.run();
                return;
            } catch (DataAccessException | TransactionException e) {
                LOG.warn(
                        "An alert on {} could not be written down (attempt {} of {}): {}",
                        news.alert().subject(),
                        attempt,
                        TRIES,
                        e.toString());
            }
        }
        unkept.increment();
    }

    private void run() {
        long disked = System.nanoTime() - DISK_EVERY_NANOS;
        long forgot = System.nanoTime() - FORGET_EVERY_NANOS;
        while (running || !queue.isEmpty()) {
            try {
                List<AlertStep> news = queue.poll(500, TimeUnit.MILLISECONDS);
                if (news != null) {
                    keep(news);
                }
                if (System.nanoTime() - disked >= DISK_EVERY_NANOS) {
                    disked = System.nanoTime();
                    disk.look();
                }
                if (System.nanoTime() - forgot >= FORGET_EVERY_NANOS) {
                    forgot = System.nanoTime();
                    forgetOld();
                }
            } catch (InterruptedException e) {
                return; // never interrupted by this service
            } catch (RuntimeException e) {
                LOG.warn("Alerts: {}", e.toString(), e);
            }
        }
    }

    private void forgetOld() {
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
        disk.look();
        thread = Thread.ofPlatform().name("alerts").daemon().start(this::run);
    }

    /** What waits is still written down. */
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
