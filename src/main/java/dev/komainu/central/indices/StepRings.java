package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.HostSample;
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
 * A stretch of the past out of the store, in rings whose slot is a step instead of a second: so
 * that the same formulas answer for last year as for now. Made for one question.
 */
final class StepRings {

    private final ServiceRing ring;
    private final @Nullable ServiceRing originSide;
    private final HostRing host;
    private final int step;

    /**
     * @param names every name the service was ever reported under
     * @param originNames the same of its origin side, if it is a proxy that has one
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
        List<String> called = new ArrayList<>(names);
        Duration length = Duration.ofSeconds(step);
        windows(ring, store.serviceWindows(called, range, length));
        originSide = originNames.isEmpty() ? null : new ServiceRing(slots, 0);
        if (originSide != null) {
            windows(originSide, store.serviceWindows(List.copyOf(originNames), range, length));
        }
        logs(store.accessLogWindows(called, range));
        for (WindowStep<ProxyWindow> window : store.proxyWindows(called, range, length)) {
            ring.put(
                    slot(window.fromMicros()), window.total(), Math.max(1, window.coveredMicros()));
        }
        String node = service.node();
        if (node != null) {
            samples(store.hostSamples(node, range), service.id(), names);
        }
    }

    private void windows(ServiceRing into, List<WindowStep<ServiceWindow>> windows) {
        for (WindowStep<ServiceWindow> window : windows) {
            into.put(
                    slot(window.fromMicros()), window.total(), Math.max(1, window.coveredMicros()));
        }
    }

    /**
     * A window longer than a step fills every step it tells of; of several in one step the mean is
     * taken.
     */
    private void logs(List<AccessLogWindow> windows) {
        Map<Long, Integer> told = new HashMap<>();
        for (AccessLogWindow window : windows) {
            long last = slot(window.atMicros() - 1);
            for (long slot = slot(window.fromMicros()); slot <= last; slot++) {
                ring.put(slot, window, told.merge(slot, 1, Integer::sum));
            }
        }
    }

    private void samples(List<HostSample> samples, String id, Set<String> names) {
        Map<Long, Integer> told = new HashMap<>();
        for (HostSample sample : samples) {
            long slot = slot(sample.atMicros() - 1);
            host.put(
                    slot,
                    HostSampleLookup.renamed(sample, name -> names.contains(name) ? id : name),
                    told.merge(slot, 1, Integer::sum));
        }
    }

    private long slot(long micros) {
        return Math.floorDiv(micros, step * 1_000_000L);
    }

    /** The rings, to be asked in steps since the epoch. */
    FormulaInputs lens(ServiceProfile service, @Nullable Baseline baseline) {
        return new FormulaInputs(
                service.id(),
                ring,
                originSide,
                host,
                baseline == null ? Baseline.UNKNOWN : baseline,
                service.limits());
    }
}
