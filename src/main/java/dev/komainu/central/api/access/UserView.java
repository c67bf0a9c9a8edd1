package dev.komainu.central.api.access;

import dev.komainu.central.access.User;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code User} of the contract. */
record UserView(String name, String role, @Nullable Instant lastLogin) {
    static UserView of(User user) {
        return new UserView(user.name(), user.role().text(), user.lastLogin());
    }
}
