package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.alert.Notice;
import dev.komainu.central.alert.NoticeQueue;
import dev.komainu.central.alert.NoticeReason;
import dev.komainu.central.alert.Versioned;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;

/**
 * The delivery of notices to receivers: one queue for each receiver. A notice is retried with
 * growing pauses until it is delivered, permanently refused or given up. Waiting notices survive a
 * restart. A notice in transfer when the process dies is sent again under the same id. A notice
 * whose outcome cannot be stored is not sent again: its queue waits until the database is back.
 *
 * <p>The queues' threads are never interrupted, since they also write to the database.
 */
public final class NoticeDispatcher implements NoticeQueue, SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(NoticeDispatcher.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Duration DELETE_EVERY = Duration.ofHours(6);

    private final Receivers receivers;
    private final DeliveryTable table;
    private final DeliveryAttempt attempts;
    private final AlertSettings settings;
    private final Clock clock;
    private final Map<String, DeliveryQueue> queues = new ConcurrentHashMap<>();
    private volatile boolean running;
    private volatile Instant deletedAt = Instant.MIN;

    NoticeDispatcher(
            Receivers receivers,
            DeliveryTable table,
            Map<Receiver.Type, NoticeSender> senders,
            AlertSettings settings,
            Clock clock,
            MeterRegistry meters) {
        this.receivers = receivers;
        this.table = table;
        this.attempts = new DeliveryAttempt(
                receivers, table, senders, settings, clock, meters, this::isRunning);
        this.settings = settings;
        this.clock = clock;
        for (Delivery delivery : table.waiting()) {
            offer(delivery);
        }
    }

    @Override
    public Runnable accept(Notice notice, List<String> ids) {
        Instant now = clock.instant();
        List<Delivery> deliveries = enabled(ids)
                .map(each -> new Delivery(
                        notice.deliveryId(each.id()),
                        each.id(),
                        each.body().name(),
                        notice,
                        now,
                        0,
                        now))
                .toList();
        deliveries.forEach(table::insert);
        if (deliveries.isEmpty()) {
            attempts.count(DeliveryAttempt.NO_RECEIVER, 1);
        }
        return () -> deliveries.forEach(this::offer);
    }

    @Override
    public boolean reaches(List<String> ids) {
        return enabled(ids).findAny().isPresent();
    }

    private Stream<Versioned<Receiver>> enabled(List<String> ids) {
        return receivers.all().stream()
                .filter(each ->
                        each.body().enabled() && (ids.isEmpty() || ids.contains(each.id())));
    }

    /**
     * Sends a test notice on the caller's thread, ahead of waiting notices, and stores its
     * delivery. Blocks until the receiver responds or a timeout.
     */
    public DeliveryOutcome test(Versioned<Receiver> receiver) {
        Instant now = clock.instant();
        Notice notice = new Notice(NoticeReason.TEST, NoticeText.sample(now), now);
        Delivery delivery =
                new Delivery(newId(), receiver.id(), receiver.body().name(), notice, now, 0, now);
        table.insert(delivery);
        DeliveryOutcome outcome = attempts.attempt(receiver.body(), delivery);
        table.finished(
                delivery.id(),
                outcome.delivered() ? DeliveryTable.DELIVERED : DeliveryTable.FAILED,
                1,
                outcome.text(),
                clock.instant());
        return outcome;
    }

    /** Retries waiting notices at once after a receiver's settings were changed. */
    public void edited(String receiver) {
        DeliveryQueue queue = queues.get(receiver);
        if (queue != null) {
            queue.hurry(clock.instant());
        }
    }

    /** Removes a receiver's queue and drops its waiting notices. */
    public void removed(String receiver) {
        DeliveryQueue queue = queues.remove(receiver);
        int waiting = 0;
        if (queue != null) {
            waiting = queue.size();
            queue.close();
        }
        table.dropWaiting(receiver, "The receiver was removed", clock.instant());
        attempts.count(DeliveryTable.DROPPED, waiting);
    }

    /** Returns the number of notices that wait for a receiver, including one in transfer. */
    public int waiting(String receiver) {
        DeliveryQueue queue = queues.get(receiver);
        return queue == null ? 0 : queue.size();
    }

    private void offer(Delivery delivery) {
        DeliveryQueue queue = queues.computeIfAbsent(delivery.receiver(), id -> {
            DeliveryQueue fresh = new DeliveryQueue(settings.queue());
            if (running) {
                serve(fresh);
            }
            return fresh;
        });
        Delivery dropped = queue.offer(delivery);
        if (dropped != null) {
            attempts.count(DeliveryTable.DROPPED, 1);
            table.finished(
                    dropped.id(),
                    DeliveryTable.DROPPED,
                    dropped.attempts(),
                    queue.isClosed()
                            ? "The receiver was removed"
                            : "Dropped for a newer notice: the queue was full (komainu.alerts.queue: "
                                    + settings.queue() + ")",
                    clock.instant());
        }
    }

    private void serve(DeliveryQueue queue) {
        Thread.ofVirtual().name("notices").start(() -> {
            while (running && !queue.isClosed()) {
                try {
                    if (!attemptFirst(queue)) {
                        queue.await();
                    }
                } catch (InterruptedException e) {
                    return; // never interrupted by this service
                } catch (RuntimeException e) {
                    LOG.warn("Notices: {}", e.toString(), e);
                    pause();
                }
            }
        });
    }

    /** Attempts all due deliveries on the caller's thread. */
    void runDue() {
        for (DeliveryQueue queue : List.copyOf(queues.values())) {
            while (attemptFirst(queue)) {
                // attemptFirst() takes one delivery
            }
        }
    }

    /** Attempts one delivery if one is due, and reports whether one was. */
    private boolean attemptFirst(DeliveryQueue queue) {
        Delivery delivery = queue.take(clock.instant());
        if (delivery == null) {
            return false;
        }
        boolean settled = false;
        try {
            attempts.settle(queue, delivery);
            settled = true;
        } finally {
            if (!settled) {
                queue.later(delivery.later(clock.instant()));
            }
        }
        deleteOld();
        return true;
    }

    private void deleteOld() {
        Instant now = clock.instant();
        // If the clock was set back, the last run lies in the future.
        if (deletedAt.isAfter(now)
                || Duration.between(deletedAt, now).compareTo(DELETE_EVERY) >= 0) {
            deletedAt = now;
            try {
                table.forgetFinished(now, settings.historyDays());
            } catch (DataAccessException e) {
                LOG.warn("Old deliveries were not deleted: {}", e.toString());
            }
        }
    }

    private static String newId() {
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    private static void pause() {
        try {
            Thread.sleep(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        deleteOld();
        queues.values().forEach(this::serve);
    }

    /**
     * Stops the threads without waiting for deliveries in transfer. Waiting notices are in the
     * database.
     */
    @Override
    public synchronized void stop() {
        running = false;
        queues.values().forEach(DeliveryQueue::wake);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
