package dev.komainu.central.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user account.
 *
 * @param name lower case, {@code ^[a-z][a-z0-9._-]{0,31}$}
 * @param mustChangePassword true while the password is one that the service generated
 * @param lastLogin absent before the first
 * @param group label selector of the services that the user may change; absent: all
 * @param secondFactor whether the user has set up a second factor
 */
public record User(
        String name,
        Role role,
        boolean mustChangePassword,
        @Nullable Instant lastLogin,
        @Nullable String group,
        boolean secondFactor) {

    /** Creates a user who is bound to no group and has no second factor. */
    public User(String name, Role role, boolean mustChangePassword, @Nullable Instant lastLogin) {
        this(name, role, mustChangePassword, lastLogin, null, false);
    }
}
