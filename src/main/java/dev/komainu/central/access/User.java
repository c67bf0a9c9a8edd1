package dev.komainu.central.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user account.
 *
 * @param name lower case, {@code ^[a-z][a-z0-9._-]{0,31}$}
 * @param mustChangePassword true while the password is one that the service generated
 * @param lastLogin absent before the first
 */
public record User(
        String name,
        Role role,
        boolean mustChangePassword,
        @Nullable Instant lastLogin) {}
