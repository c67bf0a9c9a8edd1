package dev.komainu.central.enrolment;

import dev.komainu.central.access.ReportingBounds;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An agent, probe, proxy or organizer with a certificate of this installation.
 *
 * @param bounds names in which it may report
 * @param code id of the code with which it enrolled; empty: it was known again by its certificate
 * @param enrolledBy user who created the code
 * @param serial serial number of its newest certificate, hexadecimal
 * @param issued time at which that was issued
 * @param ends end of that
 * @param serialUsed time of its first use; absent before
 * @param formerSerial the certificate before, accepted until shortly after the first use of the
 *     newest; absent: none
 * @param lastSeen time of the newest request, to the minute; absent before the first
 * @param lastAddress address of that
 * @param revoked time at which it lost its identity; absent: it has it
 * @param revokedBy user who revoked it, or {@code replaced by ID}
 */
public record Part(
        String id,
        PartKind kind,
        ReportingBounds bounds,
        String code,
        Instant enrolled,
        String enrolledBy,
        String serial,
        Instant issued,
        Instant ends,
        @Nullable Instant serialUsed,
        @Nullable String formerSerial,
        @Nullable Instant lastSeen,
        @Nullable String lastAddress,
        @Nullable Instant revoked,
        @Nullable String revokedBy) {

    /** Beginning of {@link #revokedBy} of a part in whose place another one enrolled. */
    static final String REPLACED_BY = "replaced by ";

    /** The state of an identity. */
    public enum State {
        VALID,
        EXPIRED,
        REVOKED,
        REPLACED
    }

    public State state(Instant now) {
        if (revoked != null) {
            return revokedBy != null && revokedBy.startsWith(REPLACED_BY)
                    ? State.REPLACED
                    : State.REVOKED;
        }
        return ends.isAfter(now) ? State.VALID : State.EXPIRED;
    }

    /** Returns the name of its requests in the audit log and in counts. */
    public String caller() {
        return "part:" + bounds.source();
    }
}
