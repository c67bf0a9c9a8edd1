package dev.komainu.central.access;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A set of scopes for a user. Each role includes the scopes of the previous one. */
public enum Role {
    VIEWER(EnumSet.of(Scope.METRICS_READ, Scope.SERVERS_READ)),
    OPERATOR(EnumSet.of(
            Scope.METRICS_READ,
            Scope.SERVERS_READ,
            Scope.TUNING_RUN,
            Scope.TUNING_APPLY,
            Scope.CACHE_PURGE)),
    ADMINISTRATOR(EnumSet.allOf(Scope.class));

    private final Set<Scope> scopes;

    Role(Set<Scope> scopes) {
        this.scopes = Set.copyOf(scopes);
    }

    public Set<Scope> scopes() {
        return scopes;
    }

    /** Returns the name in the API and the database: lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> of(String text) {
        return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
    }
}
