package dev.komainu.agent.discovery;

import java.time.Duration;
import java.util.Set;

/**
 * What counts as a web server here, and how often to look.
 *
 * @param ports watch exactly these; empty: whatever is found
 * @param interval between two cheap looks at the listening sockets, 1 s to 1 min, default 5 s
 * @param repeat between two full readings of settings, also when nothing changed, 10 s to 1 h, default 5 min
 */
public record DiscoverySettings(Set<Integer> ports, Duration interval, Duration repeat) {

    /** A listener of unknown kind counts as a web server on one of these. */
    static final Set<Integer> WEB_PORTS =
            Set.of(80, 81, 443, 591, 3000, 3128, 5000, 7680, 7690, 8000, 8008, 8080, 8081, 8088, 8443, 8888);

    public static final DiscoverySettings DEFAULTS =
            new DiscoverySettings(Set.of(), Duration.ofSeconds(5), Duration.ofMinutes(5));

    public DiscoverySettings {
        ports = Set.copyOf(ports);
    }
}
