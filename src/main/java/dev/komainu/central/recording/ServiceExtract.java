package dev.komainu.central.recording;

import com.github.luben.zstd.Zstd;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.Departures;
import dev.komainu.telemetry.record.HostSample.Network;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.WindowParts;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The records of one service, and of those without which it cannot be judged, during a part of a
 * recording: lines of text in one zstd frame. Belongs to one thread.
 *
 * <pre>
 * {"arrivedMicros":1795849259724160,"source":"agent@web-01","record":{"type":"serviceWindow",…}}
 * </pre>
 *
 * <p>The extract begins with the newest sightings and status reports from before its first second.
 * A sample of a host contains only the servers of the extract; the values of the host remain.
 */
public final class ServiceExtract {

    /** A service and the part of the recording, in microseconds since the epoch. */
    public record Part(String service, long fromMicros, long untilMicros) {}

    private record Subject(String source, String service) {}

    private record Line(String source, TelemetryRecord record) {}

    private final Part part;
    private final Set<String> services;
    private final Set<String> sources;
    private final Map<Subject, Line> facts = new LinkedHashMap<>();
    private final StringBuilder lines = new StringBuilder();
    private boolean begun;

    private ServiceExtract(Part part, Set<String> services, Set<String> sources) {
        this.part = part;
        this.services = services;
        this.sources = sources;
    }

    /**
     * Writes an extract to a file.
     *
     * @param recording a file, or a directory of files
     * @return damaged blocks of the recording
     * @throws IOException when the recording cannot be read or does not contain the service, or the
     *     file cannot be written
     */
    public static long write(Path recording, Part part, Path file) throws IOException {
        RelatedServices related = new RelatedServices(part.service());
        new RecordingReader(recording).read(related::note);
        RecordingReader reader = new RecordingReader(recording);
        ServiceExtract extract = new ServiceExtract(part, related.ids(), related.sources());
        reader.read(extract::accept);
        if (extract.lines.isEmpty()) {
            throw new IOException(recording + ": no record of " + part.service()
                    + " (expected: an id of the recording, and a part of its time)");
        }
        byte[] plain = extract.lines.toString().getBytes(StandardCharsets.UTF_8);
        Files.write(file, Zstd.compress(plain, RecordingBlock.SMALL));
        return reader.damaged();
    }

    private void accept(RecordedEvent event) {
        if (!(event instanceof Accepted accepted) || event.atMicros() > part.untilMicros()) {
            return;
        }
        Batch batch = accepted.batch();
        String source = batch.id().source();
        boolean before = event.atMicros() < part.fromMicros();
        if (!before && !begun) {
            begun = true;
            facts.values().forEach(fact -> append(part.fromMicros(), fact));
        }
        for (TelemetryRecord record : batch.records()) {
            TelemetryRecord kept = kept(source, record);
            if (kept == null) {
                continue;
            }
            Line line = new Line(source, kept);
            if (!before) {
                append(event.atMicros(), line);
            } else if (kept instanceof ServiceSighting sighting) {
                facts.put(new Subject(source, sighting.service()), line);
            } else if (kept instanceof SourceStatus) {
                facts.put(new Subject(source, ""), line);
            }
        }
    }

    private @Nullable TelemetryRecord kept(String source, TelemetryRecord record) {
        return switch (record) {
            case ServiceWindow window -> of(window.service(), window);
            case WindowParts window -> of(window.service(), window);
            case ProxyWindow window -> of(window.service(), window);
            case AccessLogWindow window -> of(window.service(), window);
            case ServiceSighting sighting -> of(sighting.service(), sighting);
            case SourceStatus status -> sources.contains(source) ? status : null;
            case HostSample sample -> sources.contains(source) ? reduced(sample) : null;
            // Judgements read neither single connections nor clusters and orders.
            case ConnectionRecord connection -> null;
            case ProxyExchange exchange -> null;
            case ClusterView view -> null;
            case OrderOutcome outcome -> null;
        };
    }

    private @Nullable TelemetryRecord of(String service, TelemetryRecord record) {
        return services.contains(service) ? record : null;
    }

    private HostSample reduced(HostSample sample) {
        Departures departures = sample.departures();
        return new HostSample(
                sample.node(),
                sample.atMicros(),
                sample.intervalMicros(),
                sample.resources(),
                sample.kernel(),
                new Network(
                        sample.network().sockets(),
                        sample.network().listeners().stream()
                                .filter(each -> contains(each.service()))
                                .toList()),
                sample.pressure(),
                sample.totals(),
                sample.servers().stream()
                        .filter(each -> contains(each.service()))
                        .toList(),
                sample.samplingMicros(),
                departures == null
                        ? null
                        : new Departures(departures.servers().stream()
                                .filter(each -> contains(each.service()))
                                .toList()),
                sample.parts());
    }

    private boolean contains(@Nullable String service) {
        return service != null && services.contains(service);
    }

    private void append(long arrivedMicros, Line line) {
        lines.append("{\"arrivedMicros\":")
                .append(arrivedMicros)
                .append(",\"source\":\"")
                .append(line.source())
                .append("\",\"record\":")
                .append(RecordJson.write(line.record()))
                .append("}\n");
    }
}
