package dev.komainu.central.access;

import java.util.Arrays;
import java.util.Optional;

/** One right. Routes ask for scopes only; roles are bundles of them. */
public enum Scope {
    /** Figures: series, connections, states, diagnoses, the stream, Prometheus. */
    METRICS_READ("metrics:read"),
    /** What is watched and who reports: services, sources, changes. */
    SERVERS_READ("servers:read"),
    /** Drop objects from a proxy's cache. */
    CACHE_PURGE("cache:purge"),
    /** Change this service's own configuration. */
    CONFIG_WRITE("config:write"),
    /** Keep diagnoses, record changes. */
    TUNING_RUN("tuning:run"),
    /** Have advice carried out on a server. */
    TUNING_APPLY("tuning:apply"),
    /** Send records. */
    INGEST("ingest"),
    /** Users, tokens, audit log. */
    ADMIN("admin");

    private final String text;

    Scope(String text) {
        this.text = text;
    }

    /** As written in tokens and in the contract. */
    public String text() {
        return text;
    }

    /** As Spring Security knows it. */
    public String authority() {
        return "SCOPE_" + text;
    }

    public static Optional<Scope> of(String text) {
        return Arrays.stream(values()).filter(scope -> scope.text.equals(text)).findFirst();
    }
}
