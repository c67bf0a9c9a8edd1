package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A range of the past, read from the store into rings whose slot is a step instead of a second: so
 * the same formulas serve stored and live data. Created for one query.
 */
final class StepRings {

    private final ServiceRing ring;
    private final @Nullable ServiceRing originSide;
    private final HostRing host;
    private final int step;

    /**
     * Reads the range from the store.
     *
     * @param names every name under which the service was ever reported
     * @param originNames every name of its origin side; empty when it has none
     */
    StepRings(
            RecordStore store,
            ServiceProfile service,
            Set<String> names,
            Set<String> originNames,
            long from,
            long to,
            int step) {
        this.step = step;
        int slots = (int) ((to - from) / step) + 2;
        ring = new ServiceRing(slots, 0);
        host = new HostRing(slots, 0);
        TimeRange range = new TimeRange(from * 1_000_000, to * 1_000_000);
        List<String> serviceNames = new ArrayList<>(names);
        Duration length = Duration.ofSeconds(step);
        windows(ring, store.serviceWindows(serviceNames, range, length));
        originSide = originNames.isEmpty() ? null : new ServiceRing(slots, 0);
        if (originSide != null) {
            windows(originSide, store.serviceWindows(List.copyOf(originNames), range, length));
        }
        logs(store.accessLogWindows(serviceNames, range));
        for (WindowStep<ProxyWindow> window : store.proxyWindows(serviceNames, range, length)) {
            ring.put(
                    slot(window.fromMicros()), window.total(), Math.max(1, window.coveredMicros()));
        }
        String node = service.node();
        if (node != null) {
            samples(store, node, range, service.id(), names);
        }
    }

    private void windows(ServiceRing into, List<WindowStep<ServiceWindow>> windows) {
        for (WindowStep<ServiceWindow> window : windows) {
            into.put(
                    slot(window.fromMicros()), window.total(), Math.max(1, window.coveredMicros()));
        }
    }

    /**
     * Writes log windows. A window longer than a step fills every step that it covers; several
     * windows in one step are averaged.
     */
    private void logs(List<AccessLogWindow> windows) {
        Map<Long, Integer> counts = new HashMap<>();
        for (AccessLogWindow window : windows) {
            long last = slot(window.atMicros() - 1);
            for (long slot = slot(window.fromMicros()); slot <= last; slot++) {
                ring.put(slot, window, counts.merge(slot, 1, Integer::sum));
            }
        }
    }

    private void samples(
            RecordStore store, String node, TimeRange range, String id, Set<String> names) {
        Map<Long, Integer> counts = new HashMap<>();
        store.hostSamples(node, range, sample -> {
            long slot = slot(sample.atMicros() - 1);
            host.put(
                    slot,
                    HostSampleLookup.renamed(sample, name -> names.contains(name) ? id : name),
                    counts.merge(slot, 1, Integer::sum));
        });
    }

    private long slot(long micros) {
        return Math.floorDiv(micros, step * 1_000_000L);
    }

    /** Returns the inputs of the formulas; times are steps since the epoch. */
    FormulaInputs inputs(ServiceProfile service, @Nullable Baseline baseline) {
        return new FormulaInputs(
                service.id(),
                ring,
                originSide,
                host,
                baseline == null ? Baseline.UNKNOWN : baseline,
                service.limits());
    }
}
