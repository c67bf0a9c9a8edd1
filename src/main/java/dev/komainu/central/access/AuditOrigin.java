package dev.komainu.central.access;

import org.jspecify.annotations.Nullable;

/**
 * The origin of a request, for the audit log.
 *
 * @param address the peer's address; absent for actions of the service itself
 * @param agent the User-Agent, at most 200 characters
 */
public record AuditOrigin(
        @Nullable String address, @Nullable String agent) {

    /** The origin of actions of the service itself. */
    public static final AuditOrigin SELF = new AuditOrigin(null, null);

    public AuditOrigin {
        agent = agent == null || agent.length() <= 200 ? agent : agent.substring(0, 200);
    }
}
