package dev.komainu.central.access;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An API token of a program, without its secret.
 *
 * @param id public part: the first characters after {@code kmn_} in the secret
 * @param lastUsed time of the last use, to the minute; absent before the first
 * @param group label selector of the services that the token may change; absent: all
 * @param reportingBounds names in which it may report, with the scope {@code ingest}; absent: all
 */
public record ApiToken(
        String id,
        String name,
        List<Scope> scopes,
        Instant created,
        String createdBy,
        Instant expires,
        @Nullable Instant lastUsed,
        @Nullable String group,
        @Nullable ReportingBounds reportingBounds) {

    /** Longest name. */
    static final int MOST_NAME_CHARS = 64;

    public ApiToken {
        scopes = List.copyOf(scopes);
    }
}
