package dev.komainu.central.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One row of the audit log.
 *
 * @param sequence number of the row, ascending by one
 * @param at time to the microsecond
 * @param actor user, {@code token:NAME}, or {@code system}
 * @param action stable, such as {@code login} or {@code token.create}
 * @param subject object of the action
 * @param outcome {@code done} or {@code refused}
 * @param attempts refused attempts that this row stands for; else 1
 * @param address the peer's address
 * @param agent its User-Agent
 * @param before state before a change
 * @param after state after a change
 * @param hash SHA-256 of the row and of the hash before ({@link AuditHash}), 64 hexadecimal digits
 */
public record AuditEntry(
        long sequence,
        Instant at,
        String actor,
        String action,
        @Nullable String subject,
        String outcome,
        int attempts,
        @Nullable String address,
        @Nullable String agent,
        @Nullable String before,
        @Nullable String after,
        String hash) {

    /** Action of the row that names the newest row which retention removed. */
    static final String CUT = "audit.cut";

    AuditEntry withHash(String other) {
        return new AuditEntry(
                sequence, at, actor, action, subject, outcome, attempts, address, agent, before,
                after, other);
    }

    /** Returns the head of a log that ends with this row. */
    public AuditHead head() {
        return new AuditHead(sequence, hash);
    }
}
