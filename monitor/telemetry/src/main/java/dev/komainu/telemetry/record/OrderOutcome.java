package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * What became of an {@link Order}, told by the agent that had it. Told again whenever the order
 * comes again.
 *
 * @param order its id
 * @param node the agent's host
 * @param service the server it was for
 * @param state whether it was carried out
 * @param reason short, stable; for a refusal {@code signature}, {@code expired}, {@code replayed},
 *     {@code other-node}, {@code unknown-service}, {@code drift}, {@code no-place},
 *     {@code not-allowed}; for a failure {@code configuration-test}, {@code write}, {@code reload},
 *     {@code interrupted}; {@code done} else
 * @param detail for people: what differed, or the last lines a program said; at most 2,000
 *     characters
 * @param file what was changed; absent when nothing was
 * @param before value found before
 * @param after value found afterwards
 * @param restored whether the file is again what it was before the order
 * @param begunMicros when work on it began
 * @param atMicros when it was over
 */
public record OrderOutcome(
        String order,
        String node,
        String service,
        State state,
        String reason,
        String detail,
        @Nullable String file,
        @Nullable String before,
        @Nullable String after,
        boolean restored,
        long begunMicros,
        long atMicros)
        implements TelemetryRecord {

    /** How it ended. */
    public enum State {
        /** Carried out. */
        DONE,
        /** Nothing was touched. */
        REFUSED,
        /** Tried, and undone where it could be. */
        FAILED
    }
}
