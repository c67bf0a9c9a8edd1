package dev.komainu.agent.summary;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Records that the analyzer makes of packets, for tests. */
public record Analysis(List<TelemetryRecord> records, List<SourceStatus.Drops> drops) {

    public static Analysis of(List<Frame> frames) {
        return of(new FrameList(frames), AnalyzerConfig.file(Set.of()));
    }

    public static Analysis of(List<Frame> frames, AnalyzerConfig config) {
        return of(new FrameList(frames), config);
    }

    public static Analysis of(PacketSource source, AnalyzerConfig config) {
        return of(source, config, Object::toString, Duration.ofSeconds(1));
    }

    public static Analysis of(
            PacketSource source, AnalyzerConfig config, ServiceNames names, Duration window) {
        List<TelemetryRecord> records = new ArrayList<>();
        try (CaptureSession session =
                new CaptureSession(source, config, names, window, records::add)) {
            session.run();
            return new Analysis(records, session.drops());
        } catch (IOException | MalformedCaptureException e) {
            throw new AssertionError(e);
        }
    }

    public List<ConnectionRecord> connections() {
        return records.stream()
                .filter(ConnectionRecord.class::isInstance)
                .map(ConnectionRecord.class::cast)
                .toList();
    }

    /** Returns the only connection. */
    public ConnectionRecord connection() {
        List<ConnectionRecord> all = connections();
        if (all.size() != 1) {
            throw new AssertionError("connections: " + all.size() + " (expected: 1) " + all);
        }
        return all.getFirst();
    }

    public List<ServiceWindow> windows() {
        return records.stream()
                .filter(ServiceWindow.class::isInstance)
                .map(ServiceWindow.class::cast)
                .toList();
    }
}
