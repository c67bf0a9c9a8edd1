package dev.komainu.central.api.service;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Scope;
import dev.komainu.central.control.LaterWrites;
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

    /** Key of the reading in the queue; its text is for the log. */
    private static final Object READING = new Object() {
        @Override
        public String toString() {
            return "reading of the shared token's end";
        }
    };

    /** Shortest time between two readings of the tokens. */
    private static final Duration GRAIN = Duration.ofMinutes(1);

    private final SourceCredentials credentials;
    private final ApiTokens tokens;
    private final LaterWrites later;
    private final Clock clock;

    /** The last reading; absent before the first. */
    private volatile @Nullable End end;

    /** Guarded by {@code this}. */
    private Instant asked = Instant.MIN;

    /**
     * The end of the shared token.
     *
     * @param at absent: it has ended
     */
    private record End(@Nullable Instant at) {}

    ReportingCredentials(
            SourceCredentials credentials, ApiTokens tokens, LaterWrites later, Clock clock) {
        this.credentials = credentials;
        this.tokens = tokens;
        this.later = later;
        this.clock = clock;
    }

    /** Returns the kind of credential of a source's newest batch; absent: none since the start. */
    @Nullable
    String of(String source) {
        return credentials.of(source).map(Credential::text).orElse(null);
    }

    /**
     * Returns the use of the shared token; absent: no source uses it, or its end is not known yet,
     * because the database is away.
     */
    @Nullable
    SharedTokenView shared() {
        int sources = credentials.count(Credential.SHARED_TOKEN);
        if (sources == 0) {
            return null;
        }
        if (isDue()) {
            later.run(READING, () -> end = new End(lastExpiry()));
        }
        End known = end;
        return known == null ? null : new SharedTokenView(sources, known.at());
    }

    private synchronized boolean isDue() {
        Instant now = clock.instant();
        boolean due = Duration.between(asked, now).abs().compareTo(GRAIN) > 0;
        if (due) {
            asked = now;
        }
        return due;
    }

    private @Nullable Instant lastExpiry() {
        Instant now = clock.instant();
        return tokens.list().stream()
                .filter(token -> token.scopes().contains(Scope.INGEST)
                        && token.reportingBounds() == null
                        && token.expires().isAfter(now))
                .map(ApiToken::expires)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }
}
