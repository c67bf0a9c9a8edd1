package dev.komainu.central.change;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recorded change of a server, or a note on its time line.
 *
 * @param id ascending with time
 * @param at time of the record
 * @param by user, {@code token:NAME}, or {@code agent} when observed in a configuration file
 * @param wish description of the change
 * @param orderId id of the order that made it; absent when the change was made without an order
 * @param begun begin of the change, when an agent reported it
 * @param isNote true for a note on the time line: nothing was changed
 */
public record Change(
        long id,
        Instant at,
        String by,
        Wish wish,
        @Nullable Long orderId,
        @Nullable Instant begun,
        boolean isNote) {

    /** The author of changes observed in configuration files. */
    public static final String AGENT = "agent";

    /**
     * The description of a change by its author. Its text form is hashed for idempotency: a renamed
     * component would make stored keys unusable.
     *
     * @param service the watched service's id
     * @param title one line, 1 to 200 characters
     * @param setting name of the setting in the server's configuration
     * @param before value before, as written
     * @param after value after, as written
     * @param adviceId the advice that proposed it
     * @param diagnosisId the stored diagnosis that proposed it
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
