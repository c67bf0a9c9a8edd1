package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.alert.Versioned;
import dev.komainu.central.control.ControlRetry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The execution of one delivery attempt. Its outcome is stored and counted, and decides whether a
 * retry follows. Any thread.
 */
final class DeliveryAttempt {

    /** The outcome of a notice without a receiver. */
    static final String NO_RECEIVER = "nobody";

    static final String UNREADABLE = "The secret cannot be read, enter it again";

    private static final String RETRIED = "retried";

    private static final Logger LOG = LoggerFactory.getLogger(DeliveryAttempt.class);

    private final Receivers receivers;
    private final DeliveryTable table;
    private final Map<Receiver.Type, NoticeSender> senders;
    private final AlertSettings settings;
    private final Clock clock;
    private final MeterRegistry meters;
    private final ControlRetry retry = new ControlRetry();
    /** Reports whether to wait for the database; the service stops otherwise. */
    private final BooleanSupplier goesOn;

    DeliveryAttempt(
            Receivers receivers,
            DeliveryTable table,
            Map<Receiver.Type, NoticeSender> senders,
            AlertSettings settings,
            Clock clock,
            MeterRegistry meters,
            BooleanSupplier goesOn) {
        this.goesOn = goesOn;
        this.receivers = receivers;
        this.table = table;
        this.senders = Map.copyOf(senders);
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        // Registers each counter at the start, so that it is exported as 0.
        for (String outcome : List.of(
                DeliveryTable.DELIVERED,
                DeliveryTable.FAILED,
                DeliveryTable.DROPPED,
                RETRIED,
                NO_RECEIVER)) {
            counter(outcome);
        }
    }

    void count(String outcome, int notices) {
        counter(outcome).increment(notices);
    }

    /**
     * Runs one attempt and either removes the delivery from the queue or schedules its retry. While
     * the database is away it waits, so that a delivered notice is not sent again.
     */
    void settle(DeliveryQueue queue, Delivery delivery) {
        Optional<Receiver> receiver =
                receivers.find(delivery.receiver()).map(Versioned::body).filter(Receiver::enabled);
        if (receiver.isEmpty()) {
            finish(
                    queue,
                    delivery,
                    DeliveryTable.DROPPED,
                    delivery.attempts(),
                    "The receiver was removed or disabled");
            return;
        }
        Attempted made = made(receiver.get(), delivery);
        retry.run(() -> store(delivery, made), goesOn);
        DeliveryOutcome outcome = made.outcome();
        Instant now = clock.instant();
        Delivery again = delivery.later(now);
        if (outcome.delivered()) {
            finish(queue, delivery, DeliveryTable.DELIVERED, again.attempts(), outcome.text());
        } else if (!outcome.worthRetry()) {
            finish(queue, delivery, DeliveryTable.FAILED, again.attempts(), outcome.text());
        } else if (again.nextAt().isAfter(delivery.createdAt().plus(settings.giveUp()))) {
            finish(
                    queue,
                    delivery,
                    DeliveryTable.FAILED,
                    again.attempts(),
                    "Given up after " + again.attempts() + " attempts: " + outcome.text());
        } else {
            count(RETRIED, 1);
            retry.run(() -> table.later(again, outcome.text()), goesOn);
            queue.later(again);
        }
    }

    /** Runs one attempt and stores its outcome. */
    DeliveryOutcome attempt(Receiver receiver, Delivery delivery) {
        Attempted made = made(receiver, delivery);
        store(delivery, made);
        return made.outcome();
    }

    /** An attempt that is over. */
    private record Attempted(Instant startedAt, DeliveryOutcome outcome, long millis) {}

    private void store(Delivery delivery, Attempted made) {
        table.attempted(delivery.id(), made.startedAt(), made.outcome(), made.millis());
    }

    /** Runs one attempt. An exception of the sender is an outcome, too. */
    private Attempted made(Receiver receiver, Delivery delivery) {
        Instant startedAt = clock.instant();
        long start = System.nanoTime();
        DeliveryOutcome outcome;
        NoticeSender sender = senders.get(receiver.type());
        try {
            outcome = receiver.isUnreadable()
                    ? DeliveryOutcome.later(UNREADABLE)
                    : sender == null
                            ? DeliveryOutcome.never(
                                    "type: " + receiver.type().text() + " (not supported)")
                            : sender.send(receiver, delivery.notice(), delivery.id(), startedAt);
        } catch (RuntimeException e) {
            // The exception's message is not logged: it could contain the address.
            LOG.warn("A notice to {} failed: {}", receiver.name(), e.getClass().getSimpleName());
            outcome = DeliveryOutcome.later(e.getClass().getSimpleName());
        }
        return new Attempted(startedAt, outcome, (System.nanoTime() - start) / 1_000_000);
    }

    private void finish(
            DeliveryQueue queue, Delivery delivery, String status, int attempts, String text) {
        Instant now = clock.instant();
        retry.run(() -> table.finished(delivery.id(), status, attempts, text, now), goesOn);
        queue.done();
        count(status, 1);
        if (!status.equals(DeliveryTable.DELIVERED)) {
            LOG.warn("A notice to {} was not delivered: {}", delivery.receiverName(), text);
        }
    }

    private Counter counter(String outcome) {
        return Counter.builder("komainu.alerts.notices")
                .tag("outcome", outcome)
                .description(
                        "Notices to receivers by outcome; retried: failed attempts that are repeated")
                .register(meters);
    }
}
