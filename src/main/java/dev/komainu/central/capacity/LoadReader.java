package dev.komainu.central.capacity;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a service's load from the store: roll-ups of ten seconds, each with the host
 * samples of the same time. The source is the packets; without packets, the proxy's own counters.
 * Any thread.
 */
final class LoadReader {

    private static final long POINT_MICROS = LoadPoint.SECONDS * 1_000_000L;

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

    Load read(ServiceProfile service, long fromSecond, long toSecond) {
        Set<String> names = fleet.names(service.id());
        List<String> called = List.copyOf(names);
        TimeRange range = new TimeRange(fromSecond * 1_000_000, toSecond * 1_000_000);
        Duration step = Duration.ofSeconds(LoadPoint.SECONDS);
        List<WindowStep<ServiceWindow>> windows = store.serviceWindows(called, range, step);
        Map<Long, List<HostSample>> samples = samples(service.node(), range);
        Cpus cpus = Cpus.of(service, samples);
        List<LoadPoint> points = new ArrayList<>();
        int underLoss = 0;
        for (WindowStep<ServiceWindow> window : windows) {
            if (window.total().isUnderLoss()) {
                underLoss++;
            } else if (window.coveredMicros() >= WHOLE_MICROS) {
                points.add(
                        point(window.fromMicros(), traffic(window), service, names, cpus, samples));
            }
        }
        if (windows.isEmpty()) {
            for (WindowStep<ProxyWindow> window : store.proxyWindows(called, range, step)) {
                if (window.coveredMicros() >= WHOLE_MICROS) {
                    points.add(point(
                            window.fromMicros(), ofProxy(window), service, names, cpus, samples));
                }
            }
        }
        ServerLimits limits = service.limits();
        return new Load(
                points,
                underLoss,
                new ServerFacts(
                        cpus.cores(), cpus.quota(), limits.workers(), limits.connections()));
    }

    private Map<Long, List<HostSample>> samples(@Nullable String node, TimeRange range) {
        Map<Long, List<HostSample>> bySlot = new HashMap<>();
        if (node != null) {
            for (HostSample sample : store.hostSamples(node, range)) {
                // A sample covers the time before it. It belongs to the slot that contains the
                // middle of that time.
                long middle =
                        sample.atMicros() - Math.clamp(sample.intervalMicros(), 0, 60_000_000L) / 2;
                bySlot.computeIfAbsent(
                                Math.floorDiv(middle, POINT_MICROS), slot -> new ArrayList<>())
                        .add(sample);
            }
        }
        return bySlot;
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
            long fromMicros,
            Traffic traffic,
            ServiceProfile service,
            Set<String> names,
            Cpus cpus,
            Map<Long, List<HostSample>> samples) {
        ServerLimits limits = service.limits();
        Use use = new Use();
        use.add(Resource.WORKERS, share(traffic.processing(), limits.workers()));
        use.add(Resource.CONNECTIONS, share(traffic.concurrent(), limits.connections()));
        double cores = 0;
        int processGroups = 0;
        for (HostSample sample : samples.getOrDefault(fromMicros / POINT_MICROS, List.of())) {
            ofHost(sample, cpus, use);
            for (ServerProcesses server : sample.servers()) {
                if (names.contains(server.service()) && server.use().processes() > 0) {
                    ofServer(server, cpus, use);
                    cores += server.use().cpuCores();
                    processGroups++;
                }
            }
        }
        return new LoadPoint(
                fromMicros / 1_000_000,
                traffic.arrival(),
                traffic.processed(),
                traffic.processing(),
                traffic.concurrent(),
                traffic.responseSeconds(),
                processGroups == 0 ? Double.NaN : cores / processGroups,
                use.means());
    }

    private static void ofHost(HostSample sample, Cpus cpus, Use use) {
        use.add(Resource.CPU, cpus.busy(sample));
        use.add(
                Resource.MEMORY,
                1
                        - share(sample.resources().memory().available(), (double)
                                sample.resources().memory().total()));
        use.add(
                Resource.DISK,
                sample.resources().disks().stream()
                        .mapToDouble(HostSample.DiskRates::busyShare)
                        .max()
                        .orElse(Double.NaN));
        use.add(
                Resource.NETWORK,
                sample.resources().interfaces().stream()
                        .mapToDouble(LoadReader::full)
                        .filter(Double::isFinite)
                        .max()
                        .orElse(Double.NaN));
    }

    private static void ofServer(ServerProcesses server, Cpus cpus, Use use) {
        use.add(Resource.CPU_QUOTA, share(server.use().cpuCores(), cpus.quota()));
        use.add(Resource.FILES, share(server.files().openFiles(), server.files().openFilesLimit()));
        use.add(
                Resource.ACCEPT_QUEUE,
                share(server.queue().acceptQueue(), server.queue().acceptQueueLimit()));
    }

    private static double full(HostSample.InterfaceRates rates) {
        Long speed = rates.speedBitsPerSecond();
        return speed == null || speed <= 0
                ? Double.NaN
                : Math.max(rates.receivedBytesPerSecond(), rates.sentBytesPerSecond()) * 8 / speed;
    }

    private static double share(@Nullable Number part, @Nullable Number total) {
        return part == null || total == null || !(total.doubleValue() > 0)
                ? Double.NaN
                : part.doubleValue() / total.doubleValue();
    }

    /** The means of the samples of one slot. */
    private static final class Use {
        private final Map<Resource, double[]> sums = new EnumMap<>(Resource.class);

        void add(Resource resource, double share) {
            if (Double.isFinite(share)) {
                double[] sum = sums.computeIfAbsent(resource, first -> new double[2]);
                sum[0] += share;
                sum[1]++;
            }
        }

        Map<Resource, Double> means() {
            Map<Resource, Double> means = new EnumMap<>(Resource.class);
            sums.forEach((resource, sum) -> means.put(resource, sum[0] / sum[1]));
            return means;
        }
    }
}
