package dev.komainu.central.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user account.
 *
 * @param name lower case, {@link Users#NAME}, or {@link ExternalIdentity#NAME} of an external user
 * @param mustChangePassword true while the password is one that the service generated
 * @param lastLogin absent before the first
 * @param group label selector of the services that the user may change; absent: all
 * @param secondFactor whether the user has set up a second factor
 * @param external whether an OpenID provider checks the password and gives the role; the user has
 *     no password here
 */
public record User(
        String name,
        Role role,
        boolean mustChangePassword,
        @Nullable Instant lastLogin,
        @Nullable String group,
        boolean secondFactor,
        boolean external) {

    /** Creates a local user who is bound to no group and has no second factor. */
    public User(String name, Role role, boolean mustChangePassword, @Nullable Instant lastLogin) {
        this(name, role, mustChangePassword, lastLogin, null, false, false);
    }
}
