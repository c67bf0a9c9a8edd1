package dev.komainu.central.oidc;

import dev.komainu.central.access.ExternalIdentity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A login that the provider confirmed and whose tokens were checked.
 *
 * @param role rights of the user's groups; empty when no group has a role
 * @param providerSession id of the user's session at the provider; absent: the provider names none
 * @param next page of the console to show
 * @param sessionKey key of the session whose user logged in again; absent: this is a new login
 * @param isFresh whether the user authenticated at the provider since this login began
 */
public record VerifiedLogin(
        ExternalIdentity identity,
        Optional<GrantedRole> role,
        @Nullable String providerSession,
        String next,
        @Nullable String sessionKey,
        boolean isFresh) {}
