package dev.komainu.telemetry.report;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses after failed attempts: each about twice as long as the one before, with jitter, so
 * that many agents do not retry together. One thread.
 *
 * <p>A central service that responds with {@code Retry-After} is up and only busy. After a restart
 * it refuses some agents many times, and without a bound these would be silent for half a minute
 * when it has long had room again.
 */
final class RetryPauses {

    /** Longest pause after a response with {@code Retry-After}, as a multiple of its value. */
    static final int MOST_OF_RETRY_AFTER = 8;

    private final Duration first;
    private final Duration most;
    private final RandomGenerator random;
    private int failures;

    RetryPauses(Duration first, Duration most, RandomGenerator random) {
        this.first = first;
        this.most = most;
        this.random = random;
    }

    /** Returns whether the last attempt failed. */
    boolean failing() {
        return failures > 0;
    }

    void succeeded() {
        failures = 0;
    }

    /**
     * Returns the pause after one more failure.
     *
     * @param retryAfter what the response requires at least; zero: it requires nothing
     */
    Duration failed(Duration retryAfter) {
        return failed(retryAfter, retryAfter);
    }

    /**
     * Returns the pause after one more failure at several addresses.
     *
     * @param atLeast time until one of them may be asked again
     * @param retryAfter shortest wait that a response requires; zero: none requires one
     */
    Duration failed(Duration atLeast, Duration retryAfter) {
        long longest = most.toMillis();
        if (retryAfter.isPositive()) {
            longest = Math.min(longest, retryAfter.toMillis() * MOST_OF_RETRY_AFTER);
        }
        long pause = Math.min(longest, first.toMillis() << Math.min(failures, 20));
        failures++;
        pause = pause / 2 + random.nextLong(pause / 2 + 1);
        return Duration.ofMillis(Math.max(Math.max(1, pause), atLeast.toMillis()));
    }
}
