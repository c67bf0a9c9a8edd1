package dev.komainu.central.access;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An authenticated caller.
 *
 * @param name the user's name, or {@code token:NAME}
 * @param kind how it was proven
 * @param scopes what is allowed; none while the password must be changed
 * @param session present for cookie sessions
 * @param origin where from
 */
public record Caller(
        String name, Kind kind, Set<Scope> scopes, @Nullable Session session, AuditOrigin origin) {

    /** The kind of authentication. */
    public enum Kind {
        SESSION,
        TOKEN
    }

    public Caller {
        scopes = Set.copyOf(scopes);
    }
}
