package dev.komainu.agent;

import dev.komainu.agent.accesslog.AccessLogExcerpt;
import dev.komainu.agent.accesslog.LogLinePattern;
import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a capture with the server's own log of the same time (thesis 2.5.2, figures 2.8 and
 * 2.11): N_c, T_c and requests, for every ten seconds and in total. Several servers in the capture
 * are added up; a port selects one. Single thread.
 */
final class LogComparison {

    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final long LENGTH = WINDOW.toNanos() / 1_000;

    private final LogLinePattern format;
    private final TreeMap<Long, Packets> byStart = new TreeMap<>();
    private List<AccessLogWindow> logged = List.of();

    /** One window's packets, of all selected servers. */
    private static final class Packets {
        double concurrentMean;
        long concurrentMax;
        long requests;
        final Histogram durations = Distribution.newRecorder();

        void add(ServiceWindow window) {
            concurrentMean += window.concurrency().concurrentMean();
            concurrentMax += window.concurrency().concurrentMax();
            requests += window.exchanges().requests();
            window.times().connection().addTo(durations);
        }
    }

    private LogComparison(LogLinePattern format) {
        this.format = format;
    }

    /**
     * Compares a capture with a log.
     *
     * @param ports ports of the servers that wrote the log; empty: all servers in the capture
     * @throws MalformedCaptureException when the capture is broken
     */
    static LogComparison of(Path capture, Set<Integer> ports, Path log, LogLinePattern format)
            throws IOException, MalformedCaptureException {
        LogComparison comparison = new LogComparison(format);
        ServiceNames names = new ServiceNames() {
            @Override
            public @Nullable String nameOf(Endpoint server) {
                return ports.isEmpty() || ports.contains(server.port()) ? server.toString() : null;
            }
        };
        AnalyzerConfig config = AnalyzerConfig.file(ports);
        try (CaptureFile source = new CaptureFile(capture);
                CaptureSession session =
                        new CaptureSession(source, config, names, WINDOW, record -> {
                            if (record instanceof ServiceWindow window) {
                                comparison
                                        .byStart
                                        .computeIfAbsent(window.fromMicros(), from -> new Packets())
                                        .add(window);
                            }
                        })) {
            session.run();
        }
        if (!comparison.byStart.isEmpty()) {
            long from = comparison.byStart.firstKey();
            long to = comparison.byStart.lastKey() + LENGTH;
            comparison.logged = AccessLogExcerpt.windows(log, format, LENGTH, from, to);
        }
        return comparison;
    }

    /**
     * Returns one line for each window and one for the total: by log, by packets, and their ratio.
     */
    String text() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "access log (%s%s) and packets%n%-20s %25s %27s %17s %21s%n",
                format.name(),
                format.hasDurations()
                        ? ""
                        : ", without durations: every entry counts as an instant",
                "",
                "N_c mean log/packets",
                "N_c max log/packets",
                "requests",
                "T_c p50 ms"));
        for (Row row : rows()) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-20s %10.2f %10.2f %4s %8d %8d %4s %10d %10d %10.1f %10.1f%n",
                    row.name(),
                    row.logMean(),
                    row.packetMean(),
                    times(row.packetMean(), row.logMean()),
                    row.logMax(),
                    row.packetMax(),
                    times((double) row.packetMax(), (double) row.logMax()),
                    row.logRequests(),
                    row.packetRequests(),
                    millis(row.logDurations(), 50),
                    millis(row.packetDurations(), 50)));
        }
        return text.toString();
    }

    private static String times(double more, double less) {
        return less <= 0 ? "" : String.format(Locale.ROOT, "×%.0f", more / less);
    }

    private static double millis(Histogram durations, double percentile) {
        return durations.getTotalCount() == 0
                ? 0
                : durations.getValueAtPercentile(percentile) / 1_000.0;
    }

    /** Returns the same values as one JSON object. */
    String json() {
        StringBuilder json = new StringBuilder("{\"type\":\"accessLogComparison\"");
        json.append(",\"format\":\"").append(format.name()).append('"');
        json.append(",\"hasDurations\":").append(format.hasDurations());
        json.append(",\"resolutionMicros\":").append(format.resolutionMicros());
        json.append(",\"unreadable\":")
                .append(logged.stream()
                        .mapToLong(window -> window.counts().unreadable())
                        .sum());
        json.append(",\"windows\":[");
        List<Row> rows = rows();
        for (int i = 0; i + 1 < rows.size(); i++) {
            json.append(i == 0 ? "" : ",").append(json(rows.get(i)));
        }
        return json.append("],\"total\":")
                .append(rows.isEmpty() ? "null" : json(rows.getLast()))
                .append('}')
                .toString();
    }

    private static String json(Row row) {
        return String.format(
                Locale.ROOT,
                "{\"fromMicros\":%d,\"lengthMicros\":%d,\"log\":{\"concurrentMean\":%.3f,\"concurrentMax\":%d,"
                        + "\"requests\":%d%s},\"packets\":{\"concurrentMean\":%.3f,\"concurrentMax\":%d,\"requests\":%d%s}}",
                row.fromMicros(),
                row.lengthMicros(),
                row.logMean(),
                row.logMax(),
                row.logRequests(),
                quantiles(row.logDurations()),
                row.packetMean(),
                row.packetMax(),
                row.packetRequests(),
                quantiles(row.packetDurations()));
    }

    /** Returns the quantiles; null where no duration was measured. */
    private static String quantiles(Histogram durations) {
        return durations.getTotalCount() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        ",\"durationP50Micros\":%d,\"durationP95Micros\":%d,\"durationP99Micros\":%d",
                        durations.getValueAtPercentile(50),
                        durations.getValueAtPercentile(95),
                        durations.getValueAtPercentile(99));
    }

    private record Row(
            String name,
            long fromMicros,
            long lengthMicros,
            double logMean,
            long logMax,
            long logRequests,
            Histogram logDurations,
            double packetMean,
            long packetMax,
            long packetRequests,
            Histogram packetDurations) {}

    /** Returns every window, then the total. */
    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        Histogram allLogged = Distribution.newRecorder();
        Histogram allPackets = Distribution.newRecorder();
        double logArea = 0;
        double packetArea = 0;
        long logMax = 0;
        long packetMax = 0;
        long logRequests = 0;
        long packetRequests = 0;
        for (AccessLogWindow log : logged) {
            Packets packets = byStart.getOrDefault(log.fromMicros(), new Packets());
            rows.add(new Row(
                    Instant.ofEpochMilli(log.fromMicros() / 1_000).toString(),
                    log.fromMicros(),
                    LENGTH,
                    log.concurrentMean(),
                    log.concurrentMax(),
                    log.counts().entries(),
                    log.durations().duration().toHistogram(),
                    packets.concurrentMean,
                    packets.concurrentMax,
                    packets.requests,
                    packets.durations));
            log.durations().duration().addTo(allLogged);
            allPackets.add(packets.durations);
            logArea += log.concurrentMean();
            packetArea += packets.concurrentMean;
            logMax = Math.max(logMax, log.concurrentMax());
            packetMax = Math.max(packetMax, packets.concurrentMax);
            logRequests += log.counts().entries();
            packetRequests += packets.requests;
        }
        if (!rows.isEmpty()) {
            rows.add(new Row(
                    "in total",
                    rows.getFirst().fromMicros(),
                    LENGTH * rows.size(),
                    logArea / rows.size(),
                    logMax,
                    logRequests,
                    allLogged,
                    packetArea / rows.size(),
                    packetMax,
                    packetRequests,
                    allPackets));
        }
        return rows;
    }
}
