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
 * Brings notices to receivers: a lane for each, tried with growing pauses until it is delivered,
 * refused for good or given up. What waits survives a restart; what was under way when the service
 * died is sent again, under the same id.
 *
 * <p>The lanes' threads are never interrupted, since they also write to the database.
 */
public final class NoticeDispatcher implements NoticeQueue, SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(NoticeDispatcher.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Duration FORGET_EVERY = Duration.ofHours(6);

    private final Receivers receivers;
    private final DeliveryTable table;
    private final DeliveryAttempt handover;
    private final AlertSettings settings;
    private final Clock clock;
    private final Map<String, DeliveryQueue> lanes = new ConcurrentHashMap<>();
    private volatile boolean running;
    private volatile Instant forgotAt = Instant.MIN;

    NoticeDispatcher(
            Receivers receivers,
            DeliveryTable table,
            Map<Receiver.Type, NoticeSender> senders,
            AlertSettings settings,
            Clock clock,
            MeterRegistry meters) {
        this.receivers = receivers;
        this.table = table;
        this.handover = new DeliveryAttempt(receivers, table, senders, settings, clock, meters);
        this.settings = settings;
        this.clock = clock;
        for (Delivery delivery : table.waiting()) {
            offer(delivery);
        }
    }

    @Override
    public Runnable accept(Notice notice, List<String> ids) {
        Instant now = clock.instant();
        List<Delivery> made = meant(ids)
                .map(each ->
                        new Delivery(newId(), each.id(), each.body().name(), notice, now, 0, now))
                .toList();
        made.forEach(table::insert);
        if (made.isEmpty()) {
            handover.count(DeliveryAttempt.NOBODY, 1);
        }
        return () -> made.forEach(this::offer);
    }

    @Override
    public boolean reaches(List<String> ids) {
        return meant(ids).findAny().isPresent();
    }

    private Stream<Versioned<Receiver>> meant(List<String> ids) {
        return receivers.all().stream()
                .filter(each ->
                        each.body().enabled() && (ids.isEmpty() || ids.contains(each.id())));
    }

    /** Sends a test at once, on the caller's thread, whatever waits; kept among the deliveries. */
    public DeliveryOutcome test(Versioned<Receiver> receiver) {
        Instant now = clock.instant();
        Notice notice = new Notice(NoticeReason.TEST, NoticeText.sample(now), now);
        Delivery delivery =
                new Delivery(newId(), receiver.id(), receiver.body().name(), notice, now, 0, now);
        table.insert(delivery);
        DeliveryOutcome outcome = handover.attempt(receiver.body(), delivery);
        table.finished(
                delivery.id(),
                outcome.delivered() ? DeliveryTable.DELIVERED : DeliveryTable.FAILED,
                1,
                outcome.words(),
                clock.instant());
        return outcome;
    }

    /** The receiver's settings are others now: what waits is tried at once. */
    public void edited(String receiver) {
        DeliveryQueue lane = lanes.get(receiver);
        if (lane != null) {
            lane.hurry(clock.instant());
        }
    }

    /** The receiver is no more, and with it what waited for it. */
    public void removed(String receiver) {
        DeliveryQueue lane = lanes.remove(receiver);
        int waiting = 0;
        if (lane != null) {
            waiting = lane.size();
            lane.close();
        }
        table.dropWaiting(receiver, "the receiver was removed", clock.instant());
        handover.count(DeliveryTable.DROPPED, waiting);
    }

    /** Notices that wait for a receiver, one that is being tried included. */
    public int waiting(String receiver) {
        DeliveryQueue lane = lanes.get(receiver);
        return lane == null ? 0 : lane.size();
    }

    private void offer(Delivery delivery) {
        DeliveryQueue lane = lanes.computeIfAbsent(delivery.receiver(), id -> {
            DeliveryQueue fresh = new DeliveryQueue(settings.queue());
            if (running) {
                serve(fresh);
            }
            return fresh;
        });
        Delivery dropped = lane.offer(delivery);
        if (dropped != null) {
            handover.count(DeliveryTable.DROPPED, 1);
            table.finished(
                    dropped.id(),
                    DeliveryTable.DROPPED,
                    dropped.attempts(),
                    lane.isClosed()
                            ? "the receiver was removed"
                            : "made room for newer ones (komainu.alerts.queue: " + settings.queue()
                                    + ")",
                    clock.instant());
        }
    }

    private void serve(DeliveryQueue lane) {
        Thread.ofVirtual().name("notices").start(() -> {
            while (running && !lane.isClosed()) {
                try {
                    if (!work(lane)) {
                        lane.await();
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

    /** Tries everything that is due now, on the caller's thread. */
    void runDue() {
        for (DeliveryQueue lane : List.copyOf(lanes.values())) {
            while (work(lane)) {
                // the next one
            }
        }
    }

    /** @return whether something was due */
    private boolean work(DeliveryQueue lane) {
        Delivery delivery = lane.take(clock.instant());
        if (delivery == null) {
            return false;
        }
        boolean settled = false;
        try {
            handover.settle(lane, delivery);
            settled = true;
        } finally {
            if (!settled) {
                lane.later(delivery.later(clock.instant()));
            }
        }
        forgetOld();
        return true;
    }

    private void forgetOld() {
        Instant now = clock.instant();
        // After a clock that was set back it would not be done until that time came again.
        if (forgotAt.isAfter(now) || Duration.between(forgotAt, now).compareTo(FORGET_EVERY) >= 0) {
            forgotAt = now;
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
        forgetOld();
        lanes.values().forEach(this::serve);
    }

    /** What is under way may end or not; what waits is known to the database. */
    @Override
    public synchronized void stop() {
        running = false;
        lanes.values().forEach(DeliveryQueue::wake);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
