package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of an {@link Order}, reported by the agent that received it. Reported again whenever
 * the order is received again.
 *
 * @param order the order's id
 * @param node the agent's host
 * @param service the order's server
 * @param state whether it was carried out
 * @param reason short, stable; for a refusal {@code signature}, {@code expired}, {@code replayed},
 *     {@code other-node}, {@code older-epoch}, {@code unknown-service}, {@code drift},
 *     {@code no-place}, {@code not-allowed}; for a failure {@code configuration-test},
 *     {@code write}, {@code reload}, {@code interrupted}; otherwise {@code done}
 * @param detail a text for people: the difference, or the last lines of a program's output; at most
 *     2,000 characters
 * @param change the change of a file
 * @param begunMicros start of the execution
 * @param atMicros end of the execution
 */
public record OrderOutcome(
        String order,
        String node,
        String service,
        State state,
        String reason,
        String detail,
        Change change,
        long begunMicros,
        long atMicros)
        implements TelemetryRecord {

    /**
     * The change of a file.
     *
     * @param file the changed file; absent when none was
     * @param before the value before
     * @param after the value afterwards
     * @param restored whether the file has its content from before the order again
     */
    @FieldGroup
    public record Change(
            @Nullable String file,
            @Nullable String before,
            @Nullable String after,
            boolean restored) {}

    /** The kind of outcome. */
    public enum State {
        /** Carried out. */
        DONE,
        /** Refused before any change. */
        REFUSED,
        /** Attempted, and undone if possible. */
        FAILED
    }
}
