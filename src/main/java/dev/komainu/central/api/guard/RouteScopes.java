package dev.komainu.central.api.guard;

import static dev.komainu.central.access.Scope.ADMIN;
import static dev.komainu.central.access.Scope.CACHE_PURGE;
import static dev.komainu.central.access.Scope.CONFIG_WRITE;
import static dev.komainu.central.access.Scope.INGEST;
import static dev.komainu.central.access.Scope.METRICS_READ;
import static dev.komainu.central.access.Scope.SERVERS_READ;
import static dev.komainu.central.access.Scope.TUNING_APPLY;
import static dev.komainu.central.access.Scope.TUNING_RUN;
import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.PATCH;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.http.HttpMethod.PUT;

import dev.komainu.central.access.Scope;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpMethod;

/** The list of all routes, each with the scopes of which one is sufficient. */
public final class RouteScopes {

    /** The authentication that a route requires. */
    public enum Access {
        /** None: the route is public. */
        OPEN,
        /**
         * A browser session, including one that must still change its password or set up a second
         * factor.
         */
        SESSION,
        /** A session or token with one of the scopes. */
        SCOPES,
        /**
         * A session with one of the scopes. What outlives a token must not be made by it: users and
         * further tokens.
         */
        SESSION_SCOPES,
        /** A part with its certificate. */
        PART
    }

    /** Extent of what a route changes, for callers that are bound to a group of services. */
    public enum Reach {
        /** Nothing of the fleet: the route reads, or changes the caller's own session. */
        NOTHING,
        /** The service in its path. */
        SERVICE_IN_PATH,
        /** A service in its body or in a stored item: its controller calls {@link GroupGuard}. */
        CHECKED_LATER,
        /** More than one service; bound callers are refused. */
        MORE
    }

    private static final Set<String> READING_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    private static final Set<Scope> READING = Set.of(METRICS_READ, SERVERS_READ);

    /**
     * A route and its required authentication.
     *
     * @param pattern a Spring path pattern
     */
    public record Route(HttpMethod method, String pattern, Access access, Set<Scope> scopes) {

        /** Returns what the route changes. */
        public Reach reach() {
            if (method.equals(GET)
                    || access == Access.OPEN
                    || access == Access.SESSION
                    || access == Access.PART
                    || READING.containsAll(scopes)) {
                return Reach.NOTHING;
            }
            if (CHECKED_LATER.contains(method + " " + pattern)) {
                return Reach.CHECKED_LATER;
            }
            return pattern.contains("/{service}") ? Reach.SERVICE_IN_PATH : Reach.MORE;
        }
    }

    /** Routes whose controllers call {@link GroupGuard}. */
    private static final Set<String> CHECKED_LATER = Set.of(
            "POST /api/v1/changes",
            "PUT /api/v1/changes/{id}/upgrade",
            "DELETE /api/v1/changes/{id}/upgrade",
            "POST /api/v1/orders",
            "POST /api/v1/orders/{id}/rollback",
            "POST /api/v1/verifications",
            "POST /api/v1/silences",
            "DELETE /api/v1/silences/{id}");

    public static final List<Route> ALL = List.of(
            open(GET, "/api/v1/session"),
            open(POST, "/api/v1/session"),
            open(POST, "/api/v1/session/code"),
            session(DELETE, "/api/v1/session"),
            session(PUT, "/api/v1/session/password"),
            session(PUT, "/api/v1/session/confirmation"),
            session(GET, "/api/v1/session/second-factor"),
            session(POST, "/api/v1/session/second-factor"),
            session(PUT, "/api/v1/session/second-factor"),
            session(DELETE, "/api/v1/session/second-factor"),
            session(POST, "/api/v1/session/second-factor/recovery-codes"),
            open(GET, "/api/v1/session/oidc/login"),
            open(GET, "/api/v1/session/oidc/callback"),
            // The provider's signature is checked instead.
            open(POST, "/api/v1/session/oidc/back-channel-logout"),
            session(GET, "/api/v1/session/oidc/confirmation"),
            session(GET, "/api/v1/sessions"),
            session(DELETE, "/api/v1/sessions"),
            session(DELETE, "/api/v1/sessions/{id}"),
            open(GET, "/api/v1/openapi.yaml"),
            scopes(GET, "/api/v1/overview", METRICS_READ),
            scopes(GET, "/api/v1/overview/rows", METRICS_READ),
            scopes(GET, "/api/v1/sparklines", METRICS_READ),
            scopes(GET, "/api/v1/services", SERVERS_READ),
            scopes(GET, "/api/v1/services/{service}", SERVERS_READ),
            scopes(GET, "/api/v1/services/{service}/labels", SERVERS_READ),
            // Labels decide who may change a service and which notices are silenced.
            scopes(PUT, "/api/v1/services/{service}/labels", CONFIG_WRITE),
            scopes(DELETE, "/api/v1/services/{service}/labels", CONFIG_WRITE),
            scopes(GET, "/api/v1/groups", METRICS_READ),
            scopes(GET, "/api/v1/groups/{name}", METRICS_READ),
            scopes(GET, "/api/v1/groups/{name}/heat", METRICS_READ),
            scopes(GET, "/api/v1/label-rules", SERVERS_READ),
            scopes(POST, "/api/v1/label-rules", CONFIG_WRITE),
            scopes(DELETE, "/api/v1/label-rules/{id}", CONFIG_WRITE),
            scopes(GET, "/api/v1/services/{service}/series", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/connections", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/connection-summary", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/response-transfer", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/outside", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/transitions", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/diagnosis", METRICS_READ),
            scopes(POST, "/api/v1/services/{service}/diagnosis", TUNING_RUN),
            scopes(GET, "/api/v1/services/{service}/capacity", METRICS_READ),
            scopes(POST, "/api/v1/services/{service}/capacity/what-if", METRICS_READ),
            scopes(GET, "/api/v1/capacity", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/thresholds", SERVERS_READ),
            scopes(PUT, "/api/v1/services/{service}/thresholds", TUNING_RUN),
            scopes(DELETE, "/api/v1/services/{service}/thresholds", TUNING_RUN),
            scopes(POST, "/api/v1/services/{service}/diagnosis/what-if", METRICS_READ),
            scopes(GET, "/api/v1/services/{service}/overrides", METRICS_READ),
            scopes(PUT, "/api/v1/services/{service}/overrides/{node}", TUNING_RUN),
            scopes(DELETE, "/api/v1/services/{service}/overrides/{node}", TUNING_RUN),
            scopes(GET, "/api/v1/diagnoses", METRICS_READ),
            scopes(GET, "/api/v1/diagnoses/{id}", METRICS_READ),
            scopes(GET, "/api/v1/flowchart", METRICS_READ),
            scopes(GET, "/api/v1/indices", METRICS_READ),
            scopes(GET, "/api/v1/caches", SERVERS_READ),
            scopes(GET, "/api/v1/caches/{service}", SERVERS_READ),
            scopes(GET, "/api/v1/caches/{service}/contents", SERVERS_READ),
            scopes(GET, "/api/v1/caches/{service}/object", SERVERS_READ),
            scopes(GET, "/api/v1/caches/{service}/management", SERVERS_READ),
            // A switch of the proxy itself, undone by the same switch. It needs the same scope as
            // other changes of a server.
            scopes(PUT, "/api/v1/caches/{service}/pools", TUNING_APPLY),
            scopes(POST, "/api/v1/caches/{service}/peak", TUNING_APPLY),
            scopes(POST, "/api/v1/caches/{service}/purges", CACHE_PURGE),
            scopes(GET, "/api/v1/clusters", SERVERS_READ),
            scopes(GET, "/api/v1/clusters/{cluster}", SERVERS_READ),
            scopes(GET, "/api/v1/clusters/{cluster}/events", SERVERS_READ),
            scopes(PUT, "/api/v1/clusters/{cluster}/members/{member}/drain", TUNING_APPLY),
            scopes(PUT, "/api/v1/clusters/{cluster}/members/{member}/weight", TUNING_APPLY),
            scopes(GET, "/api/v1/changes", SERVERS_READ),
            scopes(POST, "/api/v1/changes", TUNING_RUN),
            scopes(POST, "/api/v1/services/{service}/notes", TUNING_RUN),
            scopes(GET, "/api/v1/orders", SERVERS_READ),
            scopes(POST, "/api/v1/orders", TUNING_APPLY),
            scopes(GET, "/api/v1/orders/{id}", SERVERS_READ),
            scopes(POST, "/api/v1/orders/{id}/rollback", TUNING_APPLY),
            scopes(GET, "/api/v1/order-key", SERVERS_READ, INGEST),
            scopes(GET, "/api/v1/services/{service}/order-prospect", SERVERS_READ),
            scopes(GET, "/api/v1/verifications", METRICS_READ),
            scopes(POST, "/api/v1/verifications", TUNING_RUN),
            scopes(GET, "/api/v1/verifications/{id}", METRICS_READ),
            scopes(GET, "/api/v1/verifications/{id}/report", METRICS_READ),
            scopes(GET, "/api/v1/verifications/{id}/comparison", METRICS_READ),
            scopes(PUT, "/api/v1/changes/{id}/upgrade", TUNING_RUN),
            scopes(DELETE, "/api/v1/changes/{id}/upgrade", TUNING_RUN),
            scopes(GET, "/api/v1/sources", SERVERS_READ),
            scopes(GET, "/api/v1/alerts", SERVERS_READ),
            scopes(GET, "/api/v1/incidents", SERVERS_READ),
            scopes(GET, "/api/v1/incidents/{id}", SERVERS_READ),
            scopes(GET, "/api/v1/incidents/{id}/report", SERVERS_READ),
            scopes(GET, "/api/v1/alert-rules", SERVERS_READ),
            scopes(POST, "/api/v1/alert-rules", CONFIG_WRITE),
            scopes(PUT, "/api/v1/alert-rules/{id}", CONFIG_WRITE),
            scopes(DELETE, "/api/v1/alert-rules/{id}", CONFIG_WRITE),
            scopes(GET, "/api/v1/silences", SERVERS_READ),
            // An operator of a server can silence its notices; the audit log records it, and the
            // silence expires.
            scopes(POST, "/api/v1/silences", CONFIG_WRITE, TUNING_RUN),
            scopes(DELETE, "/api/v1/silences/{id}", CONFIG_WRITE, TUNING_RUN),
            scopes(GET, "/api/v1/receivers", SERVERS_READ),
            scopes(POST, "/api/v1/receivers", CONFIG_WRITE),
            scopes(PUT, "/api/v1/receivers/{id}", CONFIG_WRITE),
            scopes(DELETE, "/api/v1/receivers/{id}", CONFIG_WRITE),
            scopes(POST, "/api/v1/receivers/{id}/test", CONFIG_WRITE),
            scopes(GET, "/api/v1/receivers/{id}/deliveries", SERVERS_READ),
            scopes(GET, "/api/v1/stream", METRICS_READ),
            scopes(GET, "/api/v1/prometheus/targets", METRICS_READ, SERVERS_READ),
            scopes(GET, "/metrics", METRICS_READ),
            scopes(POST, "/api/v1/ingest", INGEST),
            // A part that enrols has no credential but the secret in the request.
            open(POST, "/api/v1/enrolments"),
            new Route(POST, "/api/v1/parts/renewal", Access.PART, Set.of()),
            scopes(GET, "/api/v1/parts", ADMIN),
            sessionScopes(PATCH, "/api/v1/parts/{id}", ADMIN),
            scopes(DELETE, "/api/v1/parts/{id}", ADMIN),
            scopes(GET, "/api/v1/enrolment-codes", ADMIN),
            sessionScopes(POST, "/api/v1/enrolment-codes", ADMIN),
            scopes(DELETE, "/api/v1/enrolment-codes/{id}", ADMIN),
            scopes(GET, "/api/v1/users", ADMIN),
            sessionScopes(POST, "/api/v1/users", ADMIN),
            sessionScopes(PATCH, "/api/v1/users/{name}", ADMIN),
            sessionScopes(DELETE, "/api/v1/users/{name}", ADMIN),
            sessionScopes(DELETE, "/api/v1/users/{name}/second-factor", ADMIN),
            scopes(GET, "/api/v1/users/{name}/sessions", ADMIN),
            scopes(DELETE, "/api/v1/users/{name}/sessions", ADMIN),
            scopes(DELETE, "/api/v1/users/{name}/sessions/{id}", ADMIN),
            scopes(GET, "/api/v1/tokens", ADMIN),
            sessionScopes(POST, "/api/v1/tokens", ADMIN),
            sessionScopes(POST, "/api/v1/tokens/{id}/rotation", ADMIN),
            scopes(DELETE, "/api/v1/tokens/{id}", ADMIN),
            scopes(GET, "/api/v1/backups", ADMIN),
            // A backup holds every key of the installation.
            sessionScopes(POST, "/api/v1/backups", ADMIN),
            scopes(GET, "/api/v1/telemetry/days", ADMIN),
            scopes(GET, "/api/v1/telemetry/server", ADMIN),
            // The records of a day hold the addresses of clients and the targets of all services.
            scopes(GET, "/api/v1/telemetry/days/{day}/{kind}.parquet", ADMIN),
            scopes(GET, "/api/v1/audit", ADMIN),
            scopes(GET, "/api/v1/audit/verification", ADMIN));

    private RouteScopes() {}

    /** Returns what a route changes; {@link Reach#MORE} for a write that is not on the list. */
    static Reach reach(String method, String pattern) {
        if (READING_METHODS.contains(method)) {
            return Reach.NOTHING;
        }
        return ALL.stream()
                .filter(route ->
                        route.method().name().equals(method) && route.pattern().equals(pattern))
                .findFirst()
                .map(Route::reach)
                .orElse(Reach.MORE);
    }

    private static Route open(HttpMethod method, String pattern) {
        return new Route(method, pattern, Access.OPEN, Set.of());
    }

    private static Route session(HttpMethod method, String pattern) {
        return new Route(method, pattern, Access.SESSION, Set.of());
    }

    private static Route sessionScopes(HttpMethod method, String pattern, Scope... scopes) {
        return new Route(method, pattern, Access.SESSION_SCOPES, Set.of(scopes));
    }

    private static Route scopes(HttpMethod method, String pattern, Scope... scopes) {
        return new Route(method, pattern, Access.SCOPES, Set.of(scopes));
    }
}
