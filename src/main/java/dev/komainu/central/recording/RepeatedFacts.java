package dev.komainu.central.recording;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The newest sighting of each service and the newest status of each source. They are reported
 * seldom; each file of a recording begins with them. Any thread.
 */
final class RepeatedFacts {

    private static final int MOST = 4_096;

    private record Subject(String source, String service) {}

    private final Map<Subject, TelemetryRecord> newest = new LinkedHashMap<>();

    synchronized void note(Batch batch) {
        String source = batch.id().source();
        for (TelemetryRecord record : batch.records()) {
            Subject subject = switch (record) {
                case ServiceSighting sighting -> new Subject(source, sighting.service());
                case SourceStatus status -> new Subject(source, "");
                default -> null;
            };
            if (subject != null && (newest.size() < MOST || newest.containsKey(subject))) {
                newest.put(subject, record);
            }
        }
    }

    /** Returns a block of the facts; null when there are none. */
    synchronized @Nullable ByteBuffer block(long atMicros) {
        Map<String, List<TelemetryRecord>> bySource = new LinkedHashMap<>();
        newest.forEach((subject, record) -> bySource.computeIfAbsent(
                        subject.source(), source -> new ArrayList<>())
                .add(record));
        RecordingBlock block = new RecordingBlock();
        bySource.forEach((source, records) -> block.accepted(
                atMicros,
                true,
                BatchCodec.encodePlain(new Batch(new BatchId(source, 0, 0), records))));
        return block.isEmpty() ? null : block.finish(RecordingBlock.FAST);
    }
}
