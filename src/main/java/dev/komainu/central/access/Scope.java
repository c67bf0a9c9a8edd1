package dev.komainu.central.access;

import java.util.Arrays;
import java.util.Optional;

/** A right. Routes require scopes only; roles are sets of scopes. */
public enum Scope {
    /** Read measured values: series, connections, states, diagnoses, the stream, Prometheus. */
    METRICS_READ("metrics:read"),
    /** Read services, sources and changes. */
    SERVERS_READ("servers:read"),
    /** Drop objects from a proxy's cache. */
    CACHE_PURGE("cache:purge"),
    /** Change this service's own configuration. */
    CONFIG_WRITE("config:write"),
    /** Store diagnoses and record changes. */
    TUNING_RUN("tuning:run"),
    /** Apply advice to a server by an order. */
    TUNING_APPLY("tuning:apply"),
    /** Send telemetry records. */
    INGEST("ingest"),
    /** Manage users and tokens; read the audit log. */
    ADMIN("admin");

    private final String text;

    Scope(String text) {
        this.text = text;
    }

    /** Returns the name in tokens and in the API. */
    public String text() {
        return text;
    }

    /** Returns the authority for Spring Security. */
    public String authority() {
        return "SCOPE_" + text;
    }

    public static Optional<Scope> of(String text) {
        return Arrays.stream(values()).filter(scope -> scope.text.equals(text)).findFirst();
    }
}
