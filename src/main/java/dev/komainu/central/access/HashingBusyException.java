package dev.komainu.central.access;

import java.time.Duration;

/** A password check that was refused because too many others wait. It has no stack trace. */
public final class HashingBusyException extends RuntimeException {

    /** Time until the queue has had time to drain: 50 checks of about 60 ms. */
    public static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    HashingBusyException(int waiting) {
        super(
                "Password checks waiting: " + waiting + " (no further one is accepted)",
                null,
                false,
                false);
    }
}
