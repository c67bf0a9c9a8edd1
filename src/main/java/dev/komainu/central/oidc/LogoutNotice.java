package dev.komainu.central.oidc;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a checked logout token: the provider's session that ended, or all of a user.
 *
 * @param subject the user at the provider; absent: {@code sid} is present
 * @param sid the provider's session; absent: all sessions of the user
 * @param id id of the token
 * @param until instant from which on the token is no longer accepted
 */
public record LogoutNotice(
        String issuer, @Nullable String subject, @Nullable String sid, String id, Instant until) {}
