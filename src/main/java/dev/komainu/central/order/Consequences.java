package dev.komainu.central.order;

import dev.komainu.telemetry.record.Order;
import java.util.Map;
import java.util.Set;

/** What makes a written value take effect, by the servers' manuals. Pure. */
final class Consequences {

    /** Kinds whose files an agent can edit, with the settings that a reload does not take up. */
    private static final Map<String, Set<String>> RESTART = Map.of(
            // "ListenBacklog", "ServerLimit", "ThreadLimit": read at the start only (mpm_common); the others with them.
            "apache",
            Set.of(
                    "ListenBacklog",
                    "ListenCoresBucketsRatio",
                    "ServerLimit",
                    "ThreadLimit",
                    "ThreadsPerChild",
                    // A prefork parent wakes its children by connections of its own: with a full listen queue a reload
                    // stands still.
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
            // As its control endpoint tells under needsRestart.
            "komainu",
            Set.of("workers", "transport", "cache.memory", "cache.policy"));

    private Consequences() {}

    static boolean knows(String kind, String setting) {
        return isKernels(setting) || RESTART.containsKey(kind) && setting.indexOf(':') < 0;
    }

    static Order.Then of(String kind, String setting) {
        if (isKernels(setting)) {
            return Order.Then.NOTHING;
        }
        Set<String> restart = RESTART.getOrDefault(kind, Set.of("*"));
        return restart.contains("*") || restart.contains(setting) ? Order.Then.RESTART : Order.Then.RELOAD;
    }

    private static boolean isKernels(String setting) {
        return setting.startsWith("sysctl:") || setting.equals("limit:nofile");
    }
}
