package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import java.time.Duration;
import java.time.Instant;

/**
 * One notice on its way to one receiver.
 *
 * @param receiver id
 * @param attempts made so far
 * @param nextAt when it is due
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
     * Whether it may be tried now. Further ahead than any pause lies only what was put down before
     * the clock was set back.
     */
    boolean isDue(Instant now) {
        return !nextAt.isAfter(now) || nextAt.isAfter(now.plus(LONGEST_PAUSE));
    }

    /**
     * After one attempt more that failed at {@code now}: pauses of 5, 15, 45, 135, 405 and then 600
     * s.
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
