package dev.komainu.central.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One row of the audit log.
 *
 * @param id ascending with time
 * @param actor user, {@code token:NAME}, or {@code system}
 * @param action stable, such as {@code login} or {@code token.create}
 * @param subject object of the action
 * @param outcome {@code done} or {@code refused}
 * @param address the peer's address
 * @param agent its User-Agent
 * @param before state before a change
 * @param after state after a change
 */
public record AuditEntry(
        long id,
        Instant at,
        String actor,
        String action,
        @Nullable String subject,
        String outcome,
        @Nullable String address,
        @Nullable String agent,
        @Nullable String before,
        @Nullable String after) {}
