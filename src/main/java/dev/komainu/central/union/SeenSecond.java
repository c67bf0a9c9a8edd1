package dev.komainu.central.union;

import dev.komainu.central.store.ServiceSum;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One source's report of one second of a service, by the names that it uses for the service. A
 * source that restarts its capture within a second reports the second twice: before and after.
 */
final class SeenSecond {

    private static final ServiceSum SUM = new ServiceSum();

    private final Map<String, ServiceWindow> windows = new TreeMap<>();
    private final List<WindowParts> parts = new ArrayList<>();
    /** Windows without connections before them, by name: negative while connections are ahead. */
    private final Map<String, Integer> plain = new TreeMap<>();

    private WaitingRule.@Nullable Arrival arrival;
    private boolean withoutRoom;
    private long bytes;

    /**
     * Adds a window.
     *
     * @param isRefused whether its connections came but were not accepted
     */
    void add(ServiceWindow window, WaitingRule.Arrival arrived, boolean isRefused) {
        withoutRoom |= isRefused;
        windows.merge(window.service(), window, SUM::beside);
        plain.merge(window.service(), 1, Integer::sum);
        arrival = arrival == null ? arrived : arrival;
    }

    void add(WindowParts connections) {
        parts.add(connections);
        plain.merge(connections.service(), -1, Integer::sum);
        bytes += connections.parts().bytes();
    }

    /** Returns the bytes of the connections. */
    long bytes() {
        return bytes;
    }

    boolean hasWindows() {
        return !windows.isEmpty();
    }

    /** Returns the arrival of the first window; there must be one. */
    WaitingRule.Arrival arrival() {
        return Objects.requireNonNull(arrival);
    }

    Collection<ServiceWindow> windows() {
        return windows.values();
    }

    Collection<WindowParts> parts() {
        return parts;
    }

    boolean hasNames(Set<String> names) {
        return windows.keySet().containsAll(names);
    }

    /** Reports whether each window came with its connections. */
    boolean isDetailed() {
        return !windows.isEmpty() && plain.values().stream().allMatch(count -> count <= 0);
    }

    /** Returns why these windows are left out of a second of which others have connections. */
    LeftOutReason leftOut() {
        return withoutRoom ? LeftOutReason.WITHOUT_ROOM : LeftOutReason.WITHOUT_PARTS;
    }

    boolean isSample() {
        return parts.stream().anyMatch(WindowParts::isSample);
    }

    boolean isLossy() {
        return windows.values().stream().anyMatch(SUM::isLossy);
    }

    /** Returns the number of connections; an estimate of a sample. */
    long connections() {
        return parts.stream().mapToLong(WindowParts::connections).sum();
    }

    long packets() {
        return windows.values().stream()
                .mapToLong(window -> window.packets().up().packets()
                        + window.packets().down().packets())
                .sum();
    }

    /** Returns the windows of all names as one. */
    ServiceWindow whole() {
        return windows.values().stream().reduce(SUM::beside).orElseThrow();
    }
}
