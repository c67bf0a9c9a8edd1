package dev.komainu.central.access;

import java.util.EnumSet;
import java.util.Set;

/**
 * The event of a new token that can change this service or a server. Every administrator is told.
 *
 * @param origin origin of the request that created it
 */
public record PowerfulTokenCreated(ApiToken token, AuditOrigin origin) {

    /** Scopes of which one makes a token powerful. */
    public static final Set<Scope> SCOPES =
            Set.copyOf(EnumSet.of(Scope.ADMIN, Scope.CONFIG_WRITE, Scope.TUNING_APPLY));

    /** Reports whether a token has one of these scopes. */
    public static boolean isPowerful(ApiToken token) {
        return token.scopes().stream().anyMatch(SCOPES::contains);
    }
}
