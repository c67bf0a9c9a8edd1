package dev.komainu.proxy.report;

import dev.komainu.intermediary.process.ProcessUsage;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.ProductVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The report of this proxy about itself: its sighting (at start and every five minutes) and its
 * status (at start and every ten seconds), and both on request. The window report's thread calls it
 * once a second.
 */
public final class SelfReport implements Runnable {

    private static final int STATUS_SECONDS = 10;
    private static final int SIGHTING_SECONDS = 300;

    private final String service;
    private final String node;
    private final List<Endpoint> addresses;
    private volatile Map<String, String> settings;
    private final Supplier<Map<String, Long>> drops;
    private final RecordSink sink;
    private final long startedMicros = EpochMicros.now();
    private volatile boolean reportRequested;
    private long second;
    private long cpuBefore = ProcessUsage.cpuNanos();
    private long nanosBefore = System.nanoTime();

    /**
     * Creates the report.
     *
     * @param settings the effective values that tuning needs, name to value
     * @param drops supplies the records that were lost, by reason
     */
    public SelfReport(
            String service,
            String node,
            List<Endpoint> addresses,
            Map<String, String> settings,
            Supplier<Map<String, Long>> drops,
            RecordSink sink) {
        this.service = service;
        this.node = node;
        this.addresses = List.copyOf(addresses);
        this.settings = Map.copyOf(settings);
        this.drops = drops;
        this.sink = sink;
    }

    @Override
    public void run() {
        boolean requested = reportRequested;
        reportRequested = false;
        if (requested || second % SIGHTING_SECONDS == 0) {
            sink.accept(sighting());
        }
        if (requested || second % STATUS_SECONDS == 0) {
            sink.accept(status());
        }
        second++;
    }

    /** Sets the effective values; they are reported in the next second. Any thread. */
    public void setTuning(Map<String, String> now) {
        settings = Map.copyOf(now);
        reportAgain();
    }

    /**
     * Reports both in the next second: a central service may have started that has neither. Any
     * thread.
     */
    public void reportAgain() {
        reportRequested = true;
    }

    private ServiceSighting sighting() {
        List<ServiceSighting.Setting> listed = new ArrayList<>();
        settings.forEach(
                (name, value) -> listed.add(new ServiceSighting.Setting(name, value, "effective")));
        limit(listed);
        return new ServiceSighting(
                service,
                node,
                "komainu :" + addresses.getFirst().port(),
                "komainu",
                ProductVersion.text(),
                addresses,
                new ServiceSighting.ServerProcess(
                        ProcessHandle.current().pid(),
                        ProcessHandle.current().info().command().orElse(null)),
                listed,
                EpochMicros.now());
    }

    private static void limit(List<ServiceSighting.Setting> listed) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (line.startsWith("Max open files")) {
                    String soft =
                            line.substring("Max open files".length()).strip().split("\\s+")[0];
                    listed.add(
                            new ServiceSighting.Setting("limit:nofile", soft, "/proc/self/limits"));
                }
            }
            listed.add(new ServiceSighting.Setting(
                    "sysctl:net.core.somaxconn",
                    Files.readString(Path.of("/proc/sys/net/core/somaxconn")).strip(),
                    "/proc/sys/net/core/somaxconn"));
        } catch (IOException | RuntimeException absent) {
            // Not every kernel reports this; an absent value is not observable.
        }
    }

    private SourceStatus status() {
        long cpu = ProcessUsage.cpuNanos();
        long nanos = System.nanoTime();
        double cores = (double) (cpu - cpuBefore) / Math.max(1, nanos - nanosBefore);
        cpuBefore = cpu;
        nanosBefore = nanos;
        List<SourceStatus.Drops> lost = new ArrayList<>();
        drops.get().forEach((reason, count) -> lost.add(new SourceStatus.Drops(reason, count)));
        return new SourceStatus(
                node,
                SourceStatus.Kind.PROXY,
                ProductVersion.text(),
                startedMicros,
                EpochMicros.now(),
                new SourceStatus.Use(ProcessUsage.residentBytes(), cores),
                addresses.stream().map(Endpoint::toString).toList(),
                lost,
                List.of());
    }
}
