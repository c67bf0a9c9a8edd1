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
 * @param loginBy time at which the token begins to rest unless its owner, a user of an OpenID
 *     provider, logs in before; absent: its owner is a local user or a program
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
        @Nullable Instant loginBy,
        @Nullable String group,
        @Nullable ReportingBounds reportingBounds) {

    /** Longest name. */
    static final int MOST_NAME_CHARS = 64;

    public ApiToken {
        scopes = List.copyOf(scopes);
    }

    /** Reports whether the token is refused until its owner logs in again. */
    public boolean rests(Instant now) {
        return loginBy != null && !loginBy.isAfter(now);
    }
}
