package dev.komainu.agent;

import dev.komainu.agent.discovery.HostAddresses;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A host whose system has no {@code /proc} of Linux, so that its servers are given or learned by
 * address and not discovered. Its servers are reported with the host and its operating system, so
 * that they get the host's indices and that system's advice. Immutable.
 *
 * @param node this host's name
 * @param system name of the operating system, such as {@code FreeBSD} or {@code SunOS}
 * @param addresses every address of this host
 */
record UndiscoveredHost(@Nullable String node, String system, Set<String> addresses) {

    /** Stands for a host on which discovery finds the servers. */
    static final UndiscoveredHost NONE = new UndiscoveredHost(null, "Linux", Set.of());

    UndiscoveredHost {
        addresses = Set.copyOf(addresses);
    }

    /** Returns this host; {@link #NONE} on Linux. */
    static UndiscoveredHost here(String node) {
        String system = System.getProperty("os.name", "Linux");
        return system.equals("Linux")
                ? NONE
                : new UndiscoveredHost(
                        node,
                        system,
                        HostAddresses.now().stream()
                                .map(address -> text(Endpoint.of(address.getAddress(), 0)))
                                .collect(Collectors.toSet()));
    }

    @Nullable
    String nodeOf(Endpoint server) {
        return addresses.contains(text(server)) ? node : null;
    }

    List<Setting> settingsOf(Endpoint server) {
        return nodeOf(server) == null
                ? List.of()
                : List.of(new Setting("host:system", system, "os.name"));
    }

    /** Returns the address without its port. */
    private static String text(Endpoint endpoint) {
        String whole = endpoint.toString();
        return whole.substring(0, whole.lastIndexOf(':'));
    }
}
