package dev.komainu.central.api.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.User;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code User} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record UserView(
        String name,
        String role,
        @Nullable Instant lastLogin,
        @Nullable String group,
        boolean secondFactor,
        boolean external) {

    static UserView of(User user) {
        return new UserView(
                user.name(),
                user.role().text(),
                user.lastLogin(),
                user.group(),
                user.secondFactor(),
                user.external());
    }
}
