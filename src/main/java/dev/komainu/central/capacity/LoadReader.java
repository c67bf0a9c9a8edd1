package dev.komainu.central.capacity;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The reader of a service's load from the store: roll-ups of ten seconds, each with the host
 * samples of the same time. The source is the packets; without packets, the proxy's own counters.
 * Any thread.
 */
final class LoadReader {

    /** Shortest data of a complete slot; a slot with less is still being filled. */
    private static final long WHOLE_MICROS = 8_000_000;

    private final RecordStore store;
    private final Fleet fleet;

    LoadReader(RecordStore store, Fleet fleet) {
        this.store = store;
        this.fleet = fleet;
    }

    /**
     * The load of a period.
     *
     * @param points points in order of time
     * @param underLoss number of points excluded because the monitor lost packets in them and their
     *     values are too low
     */
    record Load(List<LoadPoint> points, int underLoss, ServerFacts facts) {}

    /** The traffic of one slot, before the host samples are added. */
    private record Traffic(
            double arrival,
            double processed,
            double processing,
            double concurrent,
            double responseSeconds) {}

    /** The traffic of a service, by slot in order of time. */
    private record Traffics(
            ServiceProfile service, TreeMap<Long, Traffic> bySlot, int underLoss, HostUse use) {}

    /** Reads the load of one service. */
    Load read(ServiceProfile service, long fromSecond, long toSecond) {
        return read(Map.of(service, fromSecond), toSecond).getFirst();
    }

    /**
     * Reads the load of several services of one host, whose samples are read once for all of them.
     *
     * @param from first second of each service
     * @return in the order of the map
     */
    List<Load> read(Map<ServiceProfile, Long> from, long toSecond) {
        List<Traffics> all = new ArrayList<>();
        from.forEach((service, first) ->
                all.add(traffics(service, new TimeRange(first * 1_000_000, toSecond * 1_000_000))));
        long first = from.values().stream().mapToLong(Long::longValue).min().orElse(toSecond);
        String node = all.isEmpty() ? null : all.getFirst().service().node();
        if (node != null && first < toSecond) {
            store.hostSamples(
                    node,
                    new TimeRange(first * 1_000_000, toSecond * 1_000_000),
                    sample -> all.forEach(each -> each.use().add(sample)));
        }
        return all.stream().map(LoadReader::load).toList();
    }

    private Traffics traffics(ServiceProfile service, TimeRange range) {
        Set<String> names = fleet.names(service.id());
        List<String> called = List.copyOf(names);
        Duration step = Duration.ofSeconds(LoadPoint.SECONDS);
        TreeMap<Long, Traffic> bySlot = new TreeMap<>();
        int underLoss = 0;
        List<WindowStep<ServiceWindow>> windows = store.serviceWindows(called, range, step);
        for (WindowStep<ServiceWindow> window : windows) {
            if (window.total().isUnderLoss()) {
                underLoss++;
            } else if (window.coveredMicros() >= WHOLE_MICROS) {
                bySlot.put(HostUse.slot(window.fromMicros()), traffic(window));
            }
        }
        if (windows.isEmpty()) {
            for (WindowStep<ProxyWindow> window : store.proxyWindows(called, range, step)) {
                if (window.coveredMicros() >= WHOLE_MICROS) {
                    bySlot.put(HostUse.slot(window.fromMicros()), ofProxy(window));
                }
            }
        }
        return new Traffics(
                service,
                bySlot,
                underLoss,
                new HostUse(names, Cpus.of(service, 0), bySlot.keySet()));
    }

    private static Load load(Traffics traffics) {
        ServiceProfile service = traffics.service();
        List<LoadPoint> points = new ArrayList<>();
        traffics.bySlot()
                .forEach((slot, traffic) ->
                        points.add(point(slot, traffic, service.limits(), traffics.use())));
        Cpus cpus = Cpus.of(service, traffics.use().presentCpus());
        return new Load(
                points,
                traffics.underLoss(),
                new ServerFacts(
                        cpus.cores(),
                        cpus.quota(),
                        service.limits().workers(),
                        service.limits().connections()));
    }

    private static Traffic traffic(WindowStep<ServiceWindow> window) {
        ServiceWindow total = window.total();
        double seconds = window.coveredMicros() / 1e6;
        double processed = total.exchanges().responses() / seconds;
        return new Traffic(
                total.exchanges().requests() / seconds,
                processed,
                total.concurrency().processingMean(),
                total.concurrency().concurrentMean(),
                meanSeconds(total.times().response().toHistogram()));
    }

    private static Traffic ofProxy(WindowStep<ProxyWindow> window) {
        ProxyWindow total = window.total();
        double seconds = window.coveredMicros() / 1e6;
        Histogram both = Distribution.newRecorder();
        total.times().hitResponse().addTo(both);
        total.times().missResponse().addTo(both);
        return new Traffic(
                total.exchanges().requests() / seconds,
                total.exchanges().responses() / seconds,
                total.exchanges().inFlight(),
                total.connections().clientConnections(),
                meanSeconds(both));
    }

    private static double meanSeconds(Histogram micros) {
        return micros.getTotalCount() == 0 ? Double.NaN : micros.getMean() / 1e6;
    }

    private static LoadPoint point(
            long slot, Traffic traffic, ServerLimits limits, HostUse hostUse) {
        Map<Resource, Double> use = hostUse.means(slot);
        put(use, Resource.WORKERS, HostUse.share(traffic.processing(), limits.workers()));
        put(use, Resource.CONNECTIONS, HostUse.share(traffic.concurrent(), limits.connections()));
        return new LoadPoint(
                slot * LoadPoint.SECONDS,
                traffic.arrival(),
                traffic.processed(),
                traffic.processing(),
                traffic.concurrent(),
                traffic.responseSeconds(),
                hostUse.cpuCores(slot),
                use);
    }

    private static void put(Map<Resource, Double> use, Resource resource, double share) {
        if (Double.isFinite(share)) {
            use.put(resource, share);
        }
    }
}
