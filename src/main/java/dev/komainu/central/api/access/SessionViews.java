package dev.komainu.central.api.access;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.Session;
import java.time.Clock;
import java.time.Instant;
import org.springframework.stereotype.Component;

/** The views of sessions, of logins that wait for a code, and of browsers without either. */
@Component
class SessionViews {

    private final AccessSettings settings;
    private final Clock clock;

    SessionViews(AccessSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    SessionView of(Session session) {
        return new SessionView(
                UserView.of(session.user()),
                session.user().mustChangePassword(),
                settings.mustSetUpSecondFactor(session.user()),
                null,
                session.csrfToken(),
                ServiceVersion.TEXT);
    }

    SessionView pending(Instant until) {
        return new SessionView(
                null,
                false,
                false,
                new SessionView.PendingView(until, clock.instant()),
                "",
                ServiceVersion.TEXT);
    }

    SessionView none() {
        return new SessionView(null, false, false, null, "", ServiceVersion.TEXT);
    }
}
