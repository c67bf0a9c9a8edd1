package dev.komainu.central.api.service;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Scope;
import dev.komainu.central.ingest.SourceCredentials;
import dev.komainu.central.ingest.SourceCredentials.Credential;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The credentials of sources, for the views of sources and of the fleet. Any thread. */
@Component
class ReportingCredentials {

    /** Shortest time between two readings of the tokens. */
    private static final Duration GRAIN = Duration.ofMinutes(1);

    private final SourceCredentials credentials;
    private final ApiTokens tokens;
    private final Clock clock;

    /** Guarded by {@code this}, like the next. */
    private @Nullable Instant until;

    private Instant read = Instant.MIN;

    ReportingCredentials(SourceCredentials credentials, ApiTokens tokens, Clock clock) {
        this.credentials = credentials;
        this.tokens = tokens;
        this.clock = clock;
    }

    /** Returns the kind of credential of a source's newest batch; absent: none since the start. */
    @Nullable
    String of(String source) {
        return credentials.of(source).map(Credential::text).orElse(null);
    }

    /** Returns the use of the shared token; absent: no source uses it. */
    @Nullable
    SharedTokenView shared() {
        int sources = credentials.count(Credential.SHARED_TOKEN);
        return sources == 0 ? null : new SharedTokenView(sources, end());
    }

    private synchronized @Nullable Instant end() {
        Instant now = clock.instant();
        if (Duration.between(read, now).abs().compareTo(GRAIN) > 0) {
            read = now;
            until = tokens.list().stream()
                    .filter(token -> token.scopes().contains(Scope.INGEST)
                            && token.reportingBounds() == null
                            && token.expires().isAfter(now))
                    .map(ApiToken::expires)
                    .max(Comparator.naturalOrder())
                    .orElse(null);
        }
        return until;
    }
}
