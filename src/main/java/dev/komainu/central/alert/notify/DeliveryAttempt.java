package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.alert.Versioned;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One delivery handed to its receiver: what came of it is kept, counted, and decides whether it is
 * tried again. Any thread.
 */
final class DeliveryAttempt {

    /** A notice that no receiver is meant by. */
    static final String NOBODY = "nobody";

    private static final String RETRIED = "retried";

    private static final Logger LOG = LoggerFactory.getLogger(DeliveryAttempt.class);

    private final Receivers receivers;
    private final DeliveryTable table;
    private final Map<Receiver.Type, NoticeSender> senders;
    private final AlertSettings settings;
    private final Clock clock;
    private final MeterRegistry meters;

    DeliveryAttempt(
            Receivers receivers,
            DeliveryTable table,
            Map<Receiver.Type, NoticeSender> senders,
            AlertSettings settings,
            Clock clock,
            MeterRegistry meters) {
        this.receivers = receivers;
        this.table = table;
        this.senders = Map.copyOf(senders);
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        // Each is told from the start, as nothing.
        for (String outcome : List.of(
                DeliveryTable.DELIVERED,
                DeliveryTable.FAILED,
                DeliveryTable.DROPPED,
                RETRIED,
                NOBODY)) {
            counter(outcome);
        }
    }

    void count(String outcome, int notices) {
        counter(outcome).increment(notices);
    }

    /** Tries it, and tells the lane whether it is done or when it comes again. */
    void settle(DeliveryQueue lane, Delivery delivery) {
        Optional<Receiver> receiver =
                receivers.find(delivery.receiver()).map(Versioned::body).filter(Receiver::enabled);
        if (receiver.isEmpty()) {
            finish(
                    lane,
                    delivery,
                    DeliveryTable.DROPPED,
                    delivery.attempts(),
                    "the receiver was removed or switched off");
            return;
        }
        DeliveryOutcome outcome = attempt(receiver.get(), delivery);
        Instant now = clock.instant();
        Delivery again = delivery.later(now);
        if (outcome.delivered()) {
            finish(lane, delivery, DeliveryTable.DELIVERED, again.attempts(), outcome.words());
        } else if (!outcome.worthRetry()) {
            finish(lane, delivery, DeliveryTable.FAILED, again.attempts(), outcome.words());
        } else if (again.nextAt().isAfter(delivery.createdAt().plus(settings.giveUp()))) {
            finish(
                    lane,
                    delivery,
                    DeliveryTable.FAILED,
                    again.attempts(),
                    "given up after " + again.attempts() + " attempts: " + outcome.words());
        } else {
            count(RETRIED, 1);
            table.later(again, outcome.words());
            lane.later(again);
        }
    }

    /**
     * Tries it once; the attempt is kept, whatever came of it. What a sender throws is an outcome
     * too.
     */
    DeliveryOutcome attempt(Receiver receiver, Delivery delivery) {
        Instant at = clock.instant();
        long start = System.nanoTime();
        DeliveryOutcome outcome;
        NoticeSender sender = senders.get(receiver.type());
        try {
            outcome = sender == null
                    ? DeliveryOutcome.never("type: " + receiver.type().text() + " (not known here)")
                    : sender.send(receiver, delivery.notice(), delivery.id(), at);
        } catch (RuntimeException e) {
            // Not its message, which could name the address.
            LOG.warn("A notice to {} failed: {}", receiver.name(), e.getClass().getSimpleName());
            outcome = DeliveryOutcome.later(e.getClass().getSimpleName());
        }
        table.attempted(delivery.id(), at, outcome, (System.nanoTime() - start) / 1_000_000);
        return outcome;
    }

    private void finish(
            DeliveryQueue lane, Delivery delivery, String status, int attempts, String words) {
        table.finished(delivery.id(), status, attempts, words, clock.instant());
        lane.done();
        count(status, 1);
        if (!status.equals(DeliveryTable.DELIVERED)) {
            LOG.warn("A notice to {} was not delivered: {}", delivery.receiverName(), words);
        }
    }

    private Counter counter(String outcome) {
        return Counter.builder("komainu.alerts.notices")
                .tag("outcome", outcome)
                .description(
                        "Notices to receivers by what became of them; retried: attempts that were not the last")
                .register(meters);
    }
}
