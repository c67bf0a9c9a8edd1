package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The concurrency that a server's own settings allow; absent when its settings do not limit it.
 *
 * @param workers requests processed at once: processes or threads that each serve one (thesis 3.4,
 *     table 3.1)
 * @param connections connections that it keeps open at most
 * @param passesOn whether it has connections to servers behind it that count among these
 */
public record ServerLimits(
        @Nullable Double workers, @Nullable Double connections, boolean passesOn) {

    public ServerLimits(@Nullable Double workers, @Nullable Double connections) {
        this(workers, connections, false);
    }

    public static final ServerLimits UNKNOWN = new ServerLimits(null, null);

    /** Setting that discovery reports only for an nginx that forwards requests. */
    private static final String PASSED_ON = "proxy_connect_timeout";

    static ServerLimits of(ServiceProfile service) {
        return switch (service.kind()) {
            case "apache" ->
                new ServerLimits(first(service, "MaxRequestWorkers", "MaxClients"), null);
            case "nginx" ->
                // worker_connections includes connections to upstreams (ngx_core_module).
                new ServerLimits(
                        null,
                        product(
                                number(service, "worker_processes"),
                                number(service, "worker_connections")),
                        service.setting(PASSED_ON) != null);
            case "tomcat" ->
                new ServerLimits(number(service, "maxThreads"), number(service, "maxConnections"));
            case "varnish" ->
                new ServerLimits(
                        product(
                                number(service, "thread_pools"),
                                number(service, "thread_pool_max")),
                        null);
            case "gunicorn" -> gunicorn(service);
            case "uwsgi" ->
                new ServerLimits(
                        product(number(service, "processes"), number(service, "threads")), null);
            case "php-fpm" -> new ServerLimits(number(service, "pm.max_children"), null);
            // Its workers are processes of one event loop each, not requests.
            case "squid" -> UNKNOWN;
            case "haproxy" -> new ServerLimits(null, number(service, "maxconn"));
            case "komainu" ->
                new ServerLimits(null, first(service, "connection.max", "connections.max"));
            default ->
                new ServerLimits(
                        first(service, "workers", "threads"), number(service, "connections"));
        };
    }

    /** Returns the limits of a gunicorn: workers with threads, or event loops with connections. */
    private static ServerLimits gunicorn(ServiceProfile service) {
        Double workers = number(service, "workers");
        Setting found = service.setting("worker_class");
        String kind = found == null ? "sync" : found.value();
        return switch (kind) {
            case "sync" -> new ServerLimits(workers, null);
            case "gthread" ->
                new ServerLimits(
                        product(workers, number(service, "threads")),
                        product(workers, number(service, "worker_connections")));
            default ->
                new ServerLimits(null, product(workers, number(service, "worker_connections")));
        };
    }

    private static @Nullable Double first(ServiceProfile service, String... names) {
        for (String name : names) {
            Double found = number(service, name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Double product(@Nullable Double left, @Nullable Double right) {
        return left == null || right == null ? null : left * right;
    }

    /** Returns a setting as a number; null for other texts ({@code auto}, {@code unlimited}). */
    private static @Nullable Double number(ServiceProfile service, String name) {
        Setting setting = service.setting(name);
        if (setting == null) {
            return null;
        }
        try {
            double value = Double.parseDouble(setting.value().trim());
            return value > 0 ? value : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
