package dev.komainu.central.order;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting;
import java.util.Map;
import java.util.Set;

/** The action after which a written value takes effect, by the servers' manuals. Pure. */
final class Consequences {

    /**
     * Server kinds whose files an agent can edit, with the settings that a reload does not apply.
     */
    private static final Map<String, Set<String>> RESTART = Map.of(
            // "ListenBacklog", "ServerLimit", "ThreadLimit": read at the start only (mpm_common);
            // the others depend on them.
            "apache",
            Set.of(
                    "ListenBacklog",
                    "ListenCoresBucketsRatio",
                    "ServerLimit",
                    "ThreadLimit",
                    "ThreadsPerChild",
                    // A prefork parent wakes its children by connections of its own: with a full
                    // listen queue a reload hangs.
                    "MaxRequestWorkers",
                    "StartServers"),
            // A reload forks new workers and calls listen(2) again with another backlog.
            "nginx",
            Set.of(),
            "squid",
            Set.of("workers", "max_filedescriptors"),
            "haproxy",
            Set.of("*"),
            "tomcat",
            Set.of("*"),
            // As its control endpoint reports under needsRestart.
            // A reload keeps the listening socket, and listen(2) is not called again.
            "gunicorn",
            Set.of("backlog", "reuse_port", "preload_app"),
            "uwsgi",
            Set.of("listen"),
            "php-fpm",
            Set.of("listen.backlog"),
            "komainu",
            Set.of("workers", "transport", "cache.memory", "cache.policy"));

    /**
     * Parameters that a running Varnish applies at once or soon (varnishd(1): neither "only takes
     * effect on startup" nor at a child's restart).
     */
    private static final Set<String> VARNISH = Set.of(
            "thread_pools",
            "thread_pool_min",
            "thread_pool_max",
            "thread_pool_timeout",
            "thread_pool_reserve",
            "thread_queue_limit",
            "timeout_idle",
            "timeout_linger",
            "timeout_req",
            "connect_timeout",
            "first_byte_timeout",
            "between_bytes_timeout",
            "backend_idle_timeout",
            "idle_send_timeout",
            "send_timeout",
            "pipe_timeout",
            "default_ttl",
            "default_grace",
            "default_keep",
            "nuke_limit",
            "max_restarts");

    /** Limits of the server's own control group, which the kernel applies at once. */
    private static final Set<String> GROUP =
            Set.of("cgroup:cpu.max", "cgroup:memory.max", "cgroup:pids.max");

    private Consequences() {}

    /** Reports whether an agent can change a setting of a server, or of the pool behind it. */
    static boolean covers(ServiceProfile service, String setting) {
        ServiceProfile pool = service.pool();
        if (!setting.startsWith(ServiceSighting.OF_POOL)) {
            return covers(service.kind(), setting);
        }
        String own = setting.substring(ServiceSighting.OF_POOL.length());
        return pool != null && own.indexOf(':') < 0 && covers(pool.kind(), own);
    }

    static boolean covers(String kind, String setting) {
        return isKernels(setting)
                || GROUP.contains(setting)
                || isVarnishs(kind, setting)
                || (RESTART.containsKey(kind) && setting.indexOf(':') < 0);
    }

    private static boolean isVarnishs(String kind, String setting) {
        return kind.equals("varnish") && VARNISH.contains(setting);
    }

    /** Returns the action after which a server's or its pool's new value takes effect. */
    static Order.Then of(ServiceProfile service, String setting) {
        ServiceProfile pool = service.pool();
        return pool != null && setting.startsWith(ServiceSighting.OF_POOL)
                ? of(pool.kind(), setting.substring(ServiceSighting.OF_POOL.length()))
                : of(service.kind(), setting);
    }

    private static Order.Then of(String kind, String setting) {
        if (isKernels(setting) || GROUP.contains(setting) || isVarnishs(kind, setting)) {
            return Order.Then.NOTHING;
        }
        Set<String> restart = RESTART.getOrDefault(kind, Set.of("*"));
        return restart.contains("*") || restart.contains(setting)
                ? Order.Then.RESTART
                : Order.Then.RELOAD;
    }

    private static boolean isKernels(String setting) {
        return setting.startsWith("sysctl:") || setting.equals("limit:nofile");
    }
}
