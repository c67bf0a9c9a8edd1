package dev.komainu.central.api.access;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.Session;
import dev.komainu.central.oidc.OpenIdSettings;
import java.time.Clock;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The views of sessions, of logins that wait for a code, and of browsers without either. */
@Component
class SessionViews {

    private final AccessSettings settings;
    private final OpenIdSettings openId;
    private final Clock clock;

    SessionViews(AccessSettings settings, OpenIdSettings openId, Clock clock) {
        this.settings = settings;
        this.openId = openId;
        this.clock = clock;
    }

    SessionView of(Session session) {
        return new SessionView(
                UserView.of(session.user()),
                session.user().mustChangePassword(),
                settings.mustSetUpSecondFactor(session.user()),
                null,
                session.csrfToken(),
                ServiceVersion.TEXT,
                button(),
                localLogin());
    }

    SessionView pending(Instant until) {
        return new SessionView(
                null,
                false,
                false,
                new SessionView.PendingView(until, clock.instant()),
                "",
                ServiceVersion.TEXT,
                button(),
                localLogin());
    }

    SessionView none() {
        return new SessionView(
                null, false, false, null, "", ServiceVersion.TEXT, button(), localLogin());
    }

    private SessionView.@Nullable ProviderButton button() {
        return openId.isOn()
                ? new SessionView.ProviderButton(
                        openId.button(), openId.address() + OpenIdSettings.BEGIN)
                : null;
    }

    private String localLogin() {
        return openId.localLogin().name().toLowerCase(Locale.ROOT);
    }
}
