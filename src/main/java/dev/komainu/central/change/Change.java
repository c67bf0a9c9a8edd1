package dev.komainu.central.change;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change that was carried out.
 *
 * @param id ascending with time
 * @param at when it was recorded
 * @param by user, {@code token:NAME}, or {@code agent} when seen in a configuration file
 * @param wish its description
 * @param orderId the order of ours that made it; absent when the change was made elsewhere
 * @param begun when work on it began, where an agent told
 */
public record Change(
        long id,
        Instant at,
        String by,
        Wish wish,
        @Nullable Long orderId,
        @Nullable Instant begun) {

    /** Who records what was seen in configuration files. */
    public static final String AGENT = "agent";

    /**
     * The description of a change by its author.
     *
     * @param service the watched service's id
     * @param title one line, 1 to 200 characters
     * @param setting the server's own name for it
     * @param before value before, as written
     * @param after value after, as written
     * @param adviceId the advice that proposed it
     * @param diagnosisId the kept diagnosis it came from
     * @param note at most 2000 characters
     */
    public record Wish(
            String service,
            String title,
            @Nullable String setting,
            @Nullable String before,
            @Nullable String after,
            @Nullable String adviceId,
            @Nullable String diagnosisId,
            @Nullable String note) {}
}
