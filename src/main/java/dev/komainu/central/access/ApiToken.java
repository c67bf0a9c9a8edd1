package dev.komainu.central.access;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine's key, without its secret.
 *
 * @param id shown part: what follows {@code kmn_} in the secret begins with it
 * @param lastUsed to the minute; absent before the first use
 */
public record ApiToken(
        String id,
        String name,
        List<Scope> scopes,
        Instant created,
        String createdBy,
        Instant expires,
        @Nullable Instant lastUsed) {

    public ApiToken {
        scopes = List.copyOf(scopes);
    }
}
