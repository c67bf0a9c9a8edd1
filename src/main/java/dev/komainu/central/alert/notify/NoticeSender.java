package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import java.time.Instant;

/**
 * A sender for one type of receiver. Any thread; a call blocks for a few of the configured timeouts
 * at most.
 */
interface NoticeSender {

    /**
     * Sends one notice; one attempt.
     *
     * @param delivery id of the delivery, the same for all its attempts
     */
    DeliveryOutcome send(Receiver receiver, Notice notice, String delivery, Instant now);
}
