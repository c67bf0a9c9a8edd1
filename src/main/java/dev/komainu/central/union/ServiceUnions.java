package dev.komainu.central.union;

import dev.komainu.central.ingest.DetailSource;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The unions of all services. Any thread; each service has a lock of its own. Services with one
 * source cost a table entry.
 */
public final class ServiceUnions implements DetailSource {

    /** Services that are requested by connection from one source. */
    private static final int MOST_DETAILED = 256;

    private final Clock clock;
    private final Map<String, ServiceUnion> unions = new ConcurrentHashMap<>();
    /** Canonical ids of the services that a source reports. */
    private final Map<String, Set<String>> bySource = new ConcurrentHashMap<>();

    private final List<SettledListener> listeners = new CopyOnWriteArrayList<>();

    public ServiceUnions(Clock clock) {
        this.clock = clock;
    }

    public void listen(SettledListener listener) {
        listeners.add(listener);
    }

    /**
     * Accepts a window.
     *
     * @param service canonical id
     * @return false when the election is to use the window
     */
    public boolean accept(String source, String service, ServiceWindow window) {
        ServiceUnion union = union(source, service);
        synchronized (union) {
            return union.accept(source, window.service().equals(service), window, clock.millis());
        }
    }

    /** Accepts the connections of a window, which comes after them. */
    public void accept(String source, String service, WindowParts parts) {
        ServiceUnion union = union(source, service);
        synchronized (union) {
            union.accept(source, parts, clock.millis());
        }
    }

    private ServiceUnion union(String source, String service) {
        bySource.computeIfAbsent(source, name -> ConcurrentHashMap.newKeySet()).add(service);
        return unions.computeIfAbsent(service, ServiceUnion::new);
    }

    /** Settles the seconds of a source's services that are due; after each of its batches. */
    public void settle(String source) {
        bySource.getOrDefault(source, Set.of()).forEach(this::settleService);
    }

    /** Settles the seconds of all services that are due, and forgets what is no longer reported. */
    public void settleAll() {
        unions.keySet().forEach(this::settleService);
        long now = clock.millis();
        unions.entrySet().removeIf(entry -> {
            synchronized (entry.getValue()) {
                return entry.getValue().isForgotten(now);
            }
        });
        bySource.values().forEach(services -> services.retainAll(unions.keySet()));
        bySource.values().removeIf(Set::isEmpty);
    }

    private void settleService(String service) {
        ServiceUnion union = unions.get(service);
        if (union != null) {
            synchronized (union) {
                for (SettledSecond second : union.settle(clock.millis())) {
                    listeners.forEach(listener -> listener.settled(service, second));
                }
            }
        }
    }

    @Override
    public Set<String> detailedFor(String source) {
        Set<String> names = new HashSet<>();
        long now = clock.millis();
        for (String service : bySource.getOrDefault(source, Set.of())) {
            ServiceUnion union = unions.get(service);
            if (union != null && names.size() < MOST_DETAILED) {
                synchronized (union) {
                    if (union.isShared(now)) {
                        names.addAll(union.namesBy(source));
                    }
                }
            }
        }
        return names;
    }

    /** Clears the later seconds of a service, because the clock of its source was set back. */
    public void clearAfter(String service, long second) {
        ServiceUnion union = unions.get(service);
        if (union != null) {
            synchronized (union) {
                union.clearAfter(second);
            }
        }
    }

    /**
     * Returns which source sees what share of a service's connections; null when one source alone
     * reports it, or no source reports connections.
     */
    public @Nullable SeenViews views(String service) {
        ServiceUnion union = unions.get(service);
        if (union == null) {
            return null;
        }
        synchronized (union) {
            return union.views();
        }
    }
}
