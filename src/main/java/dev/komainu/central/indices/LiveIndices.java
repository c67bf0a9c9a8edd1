package dev.komainu.central.indices;

import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The last quarter of an hour of everything, in memory, second by second. Any thread; each ring has
 * its own lock.
 */
public final class LiveIndices {

    /** Seconds kept: fifteen minutes, the console's usual range. */
    public static final int RING_SECONDS = 900;

    private final IndexCatalogue catalogue;
    private final Map<String, ServiceRing> services = new ConcurrentHashMap<>();
    private final Map<String, HostRing> hosts = new ConcurrentHashMap<>();
    private final Map<String, Baseline> baselines = new ConcurrentHashMap<>();

    public LiveIndices(IndexCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * @param service canonical id
     * @return false when another source has the word, or the second is older than the ring
     */
    public boolean accept(String source, String service, ServiceWindow window, long nowMillis) {
        return ring(service).accept(source, window.service().equals(service), window, nowMillis);
    }

    public void accept(String service, ProxyWindow window) {
        ring(service).accept(window);
    }

    /** @param service canonical id */
    public void accept(String service, AccessLogWindow window) {
        ring(service).accept(window);
    }

    /** @param sample its servers named by their canonical ids */
    public void accept(String source, HostSample sample) {
        hosts.computeIfAbsent(sample.node(), node -> new HostRing(RING_SECONDS))
                .accept(source, sample);
    }

    /**
     * The view of a service at a second; also for one that was never heard of, which then shows
     * nothing.
     */
    public MeasurementView view(
            String service, @Nullable String node, ServerLimits limits, long second) {
        HostRing host = node == null ? null : hosts.get(node);
        return new MeasurementView(catalogue, lens(service, host, limits), second);
    }

    /**
     * Both sides of a proxy, and whatever else is known of a service, over the seconds up to and
     * including one.
     */
    public ProxySplit bothSides(String service, long second, int seconds) {
        return ProxySplit.of(lens(service, null, ServerLimits.UNKNOWN), second, seconds);
    }

    private FormulaInputs lens(String service, @Nullable HostRing host, ServerLimits limits) {
        return new FormulaInputs(
                service,
                ring(service),
                services.get(OriginSide.of(service)),
                host,
                baseline(service),
                limits);
    }

    /** Newest second heard of a service, or {@link Long#MIN_VALUE}. */
    public long newestSecond(String service) {
        ServiceRing ring = services.get(service);
        return ring == null ? Long.MIN_VALUE : ring.newest();
    }

    /** Newest second whose packets were seen, or {@link Long#MIN_VALUE}. */
    public long newestPackets(String service) {
        ServiceRing ring = services.get(service);
        return ring == null ? Long.MIN_VALUE : ring.newestPackets();
    }

    /** Who speaks for the packets of a service now. */
    public @Nullable String speaker(String service) {
        ServiceRing ring = services.get(service);
        return ring == null ? null : ring.speaker();
    }

    public @Nullable HostSample newestSample(@Nullable String node) {
        HostRing host = node == null ? null : hosts.get(node);
        return host == null ? null : host.newest();
    }

    public Baseline baseline(String service) {
        return baselines.getOrDefault(service, Baseline.UNKNOWN);
    }

    public void baseline(String service, Baseline learnt) {
        baselines.put(service, learnt);
    }

    /**
     * Forgets every second after this one. The clock was set back: those seconds come again, and a
     * ring that holds them would take what is told now for older than itself. The store keeps what
     * was told.
     */
    public void forgetAfter(long second) {
        services.values().forEach(ring -> ring.forgetAfter(second));
        hosts.values().forEach(ring -> ring.forgetAfter(second));
    }

    /** The same for one service: its source's clock had been ahead and was put right. */
    public void forgetAfter(String service, long second) {
        ServiceRing ring = services.get(service);
        if (ring != null) {
            ring.forgetAfter(second);
        }
    }

    /** Drops everything of a service that has left. */
    public void forget(String service) {
        services.remove(service);
        baselines.remove(service);
    }

    private ServiceRing ring(String service) {
        return services.computeIfAbsent(service, id -> new ServiceRing(RING_SECONDS));
    }
}
