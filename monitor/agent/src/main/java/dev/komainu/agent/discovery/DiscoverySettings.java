package dev.komainu.agent.discovery;

import java.util.Set;

/**
 * The rule by which a listener counts as a web server.
 *
 * @param ports the only ports to watch; empty to watch every server found
 * @param alsoPorts further ports to watch, for any kind of program
 */
public record DiscoverySettings(Set<Integer> ports, Set<Integer> alsoPorts) {

    /** The ports on which a listener of unknown kind counts as a web server. */
    public static final Set<Integer> WEB_PORTS = Set.of(
            80, 81, 443, 591, 3000, 3128, 5000, 7680, 7690, 8000, 8008, 8080, 8081, 8088, 8443,
            8888);

    public static final DiscoverySettings DEFAULTS = new DiscoverySettings(Set.of(), Set.of());

    public DiscoverySettings {
        ports = Set.copyOf(ports);
        alsoPorts = Set.copyOf(alsoPorts);
    }

    /** Reports whether the settings name this port. */
    boolean names(int port) {
        return ports.contains(port) || alsoPorts.contains(port);
    }

    /** Reports whether a listener on this port may be watched. */
    boolean admits(int port) {
        return ports.isEmpty() || names(port);
    }
}
