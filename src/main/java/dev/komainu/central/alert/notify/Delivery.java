package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import java.time.Duration;
import java.time.Instant;

/**
 * The delivery of one notice to one receiver.
 *
 * @param receiver id of the receiver
 * @param attempts number of attempts made
 * @param nextAt time at which the next attempt is due
 */
record Delivery(
        String id,
        String receiver,
        String receiverName,
        Notice notice,
        Instant createdAt,
        int attempts,
        Instant nextAt) {

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /**
     * Reports whether the next attempt is due. A time further ahead than the longest pause was
     * stored before the clock was set back, and counts as due.
     */
    boolean isDue(Instant now) {
        return !nextAt.isAfter(now) || nextAt.isAfter(now.plus(LONGEST_PAUSE));
    }

    /**
     * Returns the delivery after one more attempt, which failed at {@code now}. The pauses are 5,
     * 15, 45, 135, 405 and then 600 s.
     */
    Delivery later(Instant now) {
        Duration pause = FIRST_PAUSE;
        for (int i = 0; i < attempts && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
            pause = pause.multipliedBy(3);
        }
        Instant next = now.plus(pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause);
        return new Delivery(id, receiver, receiverName, notice, createdAt, attempts + 1, next);
    }
}
