package dev.komainu.central.api.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * {@code Session} of the contract.
 *
 * @param user absent without a login
 * @param provider absent where people do not log in at an OpenID provider
 * @param localLogin which local users may log in with a password
 * @param pendingLogin present while the password was right and the code must follow
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record SessionView(
        @Nullable UserView user,
        boolean mustChangePassword,
        boolean mustSetUpSecondFactor,
        @Nullable PendingView pendingLogin,
        String csrfToken,
        String version,
        @Nullable ProviderButton provider,
        String localLogin) {

    /** The address at which a login at the OpenID provider begins, with the button's text. */
    record ProviderButton(String text, String url) {}

    /**
     * {@code PendingLogin} of the contract.
     *
     * @param until end of the time in which the code must be given
     * @param now the service's clock, for comparison with the browser's
     */
    record PendingView(Instant until, Instant now) {}
}
