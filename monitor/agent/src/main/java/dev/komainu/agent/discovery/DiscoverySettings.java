package dev.komainu.agent.discovery;

import java.util.Set;

/**
 * What counts as a web server here.
 *
 * @param ports watch exactly these; empty: whatever is found
 * @param alsoPorts watch these too, whatever listens there
 */
public record DiscoverySettings(Set<Integer> ports, Set<Integer> alsoPorts) {

    /** A listener of unknown kind counts as a web server on one of these. */
    public static final Set<Integer> WEB_PORTS = Set.of(
            80, 81, 443, 591, 3000, 3128, 5000, 7680, 7690, 8000, 8008, 8080, 8081, 8088, 8443,
            8888);

    public static final DiscoverySettings DEFAULTS = new DiscoverySettings(Set.of(), Set.of());

    public DiscoverySettings {
        ports = Set.copyOf(ports);
        alsoPorts = Set.copyOf(alsoPorts);
    }

    /** Whether somebody asked for this port by its number. */
    boolean names(int port) {
        return ports.contains(port) || alsoPorts.contains(port);
    }

    /** Whether a listener on this port may be watched at all. */
    boolean admits(int port) {
        return ports.isEmpty() || names(port);
    }
}
