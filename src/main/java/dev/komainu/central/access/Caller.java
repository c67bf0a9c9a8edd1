package dev.komainu.central.access;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An authenticated caller.
 *
 * @param name the user's name, {@code token:NAME} or {@code part:SOURCE}
 * @param kind kind of authentication
 * @param scopes rights of the caller; none while the password must be changed
 * @param session present for cookie sessions
 * @param origin origin of the request
 * @param group label selector of the services that the caller may change; absent: all
 * @param reportingBounds names in which the caller may report; absent: all
 */
public record Caller(
        String name,
        Kind kind,
        Set<Scope> scopes,
        @Nullable Session session,
        AuditOrigin origin,
        @Nullable String group,
        @Nullable ReportingBounds reportingBounds) {

    /** The kind of authentication. */
    public enum Kind {
        SESSION,
        TOKEN,
        /** An agent, probe, proxy or organizer with a certificate. */
        PART
    }

    public Caller {
        scopes = Set.copyOf(scopes);
    }
}
