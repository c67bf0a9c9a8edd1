package dev.komainu.central.indices;

import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of the last quarter of an hour, in memory, one slot a second. Any thread; each
 * ring has its own lock.
 */
public final class LiveIndices {

    /** Seconds kept: fifteen minutes, the console's usual range. */
    public static final int RING_SECONDS = 900;

    private final IndexCatalogue catalogue;
    private final Map<String, ServiceRing> services = new ConcurrentHashMap<>();
    private final Map<String, HostRing> hosts = new ConcurrentHashMap<>();
    private final Map<String, Baseline> baselines = new ConcurrentHashMap<>();

    private volatile ObjLongConsumer<String> clearListener = (service, second) -> {};

    public LiveIndices(IndexCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * Accepts one second of packets of a service.
     *
     * @param service canonical id
     * @return false when the second is not used: another source is elected, or the second is older
     *     than the ring
     */
    public boolean accept(String source, String service, ServiceWindow window, long nowMillis) {
        return ring(service).accept(source, window.service().equals(service), window, nowMillis);
    }

    /**
     * Accepts one second of a service from the union of all sources.
     *
     * @param service canonical id
     */
    public void settle(String service, long second, ServiceWindow window) {
        ring(service).settle(second, window);
    }

    public void accept(String service, ProxyWindow window) {
        ring(service).accept(window);
    }

    /**
     * Accepts a window of a service's access log.
     *
     * @param service canonical id
     */
    public void accept(String service, AccessLogWindow window) {
        ring(service).accept(window);
    }

    /**
     * Accepts a host sample.
     *
     * @param sample its servers are named by their canonical ids
     */
    public void accept(String source, HostSample sample) {
        hosts.computeIfAbsent(sample.node(), node -> new HostRing(RING_SECONDS))
                .accept(source, sample);
    }

    /** Returns the view of a service at a second. A service without any data has an empty view. */
    public MeasurementView view(
            String service, @Nullable String node, ServerLimits limits, long second) {
        HostRing host = node == null ? null : hosts.get(node);
        return new MeasurementView(catalogue, inputs(service, host, limits), second);
    }

    /**
     * Returns the figures of both sides of a proxy, and its own counters and log, over the seconds
     * up to and including {@code second}.
     */
    public ProxySplit bothSides(String service, long second, int seconds) {
        return ProxySplit.of(inputs(service, null, ServerLimits.UNKNOWN), second, seconds);
    }

    private FormulaInputs inputs(String service, @Nullable HostRing host, ServerLimits limits) {
        return new FormulaInputs(
                service,
                services.getOrDefault(service, ServiceRing.NO_DATA),
                services.get(OriginSide.of(service)),
                host,
                baseline(service),
                limits);
    }

    /**
     * Adds the packets of a service over the seconds up to and including {@code end} to totals,
     * which may contain those of other services. A service without packets adds nothing.
     */
    public void addTo(WindowTotals totals, String service, long end, int over) {
        ServiceRing ring = services.get(service);
        if (ring != null) {
            ring.addTo(totals, end, over);
        }
    }

    /** Returns the newest second of a service with data, or {@link Long#MIN_VALUE}. */
    public long newestSecond(String service) {
        ServiceRing ring = services.get(service);
        return ring == null ? Long.MIN_VALUE : ring.newest();
    }

    /** Returns the newest second of a service with packets, or {@link Long#MIN_VALUE}. */
    public long newestPackets(String service) {
        ServiceRing ring = services.get(service);
        return ring == null ? Long.MIN_VALUE : ring.newestPackets();
    }

    /** Returns the source elected for the packets of a service; null before the first report. */
    public @Nullable String electedSource(String service) {
        ServiceRing ring = services.get(service);
        return ring == null ? null : ring.electedSource();
    }

    /** Returns the newest sample of a node; null when there is none. */
    public @Nullable HostSample newestSample(@Nullable String node) {
        HostRing host = node == null ? null : hosts.get(node);
        return host == null ? null : host.newest();
    }

    /** Returns the parts of a node that are at fault, the most serious kind first. */
    public List<PartFault> partFaults(@Nullable String node) {
        HostRing host = node == null ? null : hosts.get(node);
        return host == null ? List.of() : host.faults();
    }

    public Baseline baseline(String service) {
        return baselines.getOrDefault(service, Baseline.UNKNOWN);
    }

    public void baseline(String service, Baseline learnt) {
        baselines.put(service, learnt);
    }

    /**
     * Clears all seconds after this one, because the clock was set back. Those seconds come again,
     * and a ring that contains them would reject new reports as older than its newest second. The
     * store keeps its records.
     */
    public void clearAfter(long second) {
        services.keySet().forEach(service -> clearAfter(service, second));
        hosts.values().forEach(ring -> ring.clearAfter(second));
    }

    /**
     * Clears the later seconds of one service: the clock of its source was ahead and was corrected.
     */
    public void clearAfter(String service, long second) {
        ServiceRing ring = services.get(service);
        if (ring != null) {
            clearListener.accept(service, second);
            ring.clearAfter(second);
        }
    }

    /**
     * Sets the listener for services whose later seconds are cleared.
     *
     * @param listener receives a service's canonical id and the last second that is kept
     */
    public void onClear(ObjLongConsumer<String> listener) {
        clearListener = listener;
    }

    /** Removes the hosts whose newest sample is older than a time. */
    public void forgetHosts(long oldestMicros) {
        hosts.values().removeIf(host -> {
            HostSample newest = host.newest();
            return newest != null && newest.atMicros() < oldestMicros;
        });
    }

    /** Removes all data of a service that is no longer watched. */
    public void forget(String service) {
        services.remove(service);
        baselines.remove(service);
    }

    private ServiceRing ring(String service) {
        return services.computeIfAbsent(service, id -> new ServiceRing(RING_SECONDS));
    }
}
