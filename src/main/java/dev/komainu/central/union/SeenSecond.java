package dev.komainu.central.union;

import dev.komainu.central.store.ServiceSum;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One source's report of one second of a service, by the names that it uses for the service. A
 * second report of the same name (of a restarted agent) is left out.
 */
final class SeenSecond {

    private static final ServiceSum SUM = new ServiceSum();

    private final Map<String, ServiceWindow> windows = new TreeMap<>();
    private final Map<String, WindowParts> parts = new HashMap<>();
    private long arrivedMillis = Long.MAX_VALUE;
    private long bytes;

    void add(ServiceWindow window, long nowMillis) {
        windows.putIfAbsent(window.service(), window);
        arrivedMillis = Math.min(arrivedMillis, nowMillis);
    }

    void add(WindowParts connections) {
        parts.putIfAbsent(connections.service(), connections);
        bytes += connections.parts().bytes();
    }

    /** Returns the bytes of the connections, also of those that were left out. */
    long bytes() {
        return bytes;
    }

    boolean hasWindows() {
        return !windows.isEmpty();
    }

    /** Returns the arrival of the first window, in milliseconds. */
    long arrivedMillis() {
        return arrivedMillis;
    }

    Collection<ServiceWindow> windows() {
        return windows.values();
    }

    Collection<WindowParts> parts() {
        return parts.values();
    }

    boolean hasNames(Set<String> names) {
        return windows.keySet().containsAll(names);
    }

    /** Reports whether each window came with its connections. */
    boolean isDetailed() {
        return !windows.isEmpty() && parts.keySet().containsAll(windows.keySet());
    }

    boolean isSample() {
        return parts.values().stream().anyMatch(WindowParts::isSample);
    }

    boolean isLossy() {
        return windows.values().stream().anyMatch(SUM::isLossy);
    }

    /** Returns the number of connections; an estimate of a sample. */
    long connections() {
        return parts.values().stream().mapToLong(WindowParts::connections).sum();
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
