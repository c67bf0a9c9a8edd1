package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import java.time.Instant;

/** Speaks to one type of receiver. Any thread; takes at most a few of the settings' timeouts. */
interface NoticeSender {

    /**
     * One attempt.
     *
     * @param delivery the same for every attempt of one notice
     */
    DeliveryOutcome send(Receiver receiver, Notice notice, String delivery, Instant now);
}
