package dev.komainu.telemetry.record;

import java.util.List;

/** Records that are sent and stored together, or not at all. */
public record Batch(BatchId id, List<TelemetryRecord> records) {

    public Batch {
        records = List.copyOf(records);
    }
}
