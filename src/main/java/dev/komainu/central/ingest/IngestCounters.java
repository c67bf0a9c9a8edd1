package dev.komainu.central.ingest;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.DecodedBatch;
import dev.komainu.telemetry.wire.RecordJson;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;

/**
 * The counters of received batches.
 *
 * <pre>
 * komainu_ingest_batches_total{outcome=}           stored, duplicate, malformed, too_large, media_type, foreign_source, quota, busy, store
 * komainu_ingest_records_total{type=}              records of stored batches
 * komainu_ingest_skipped_total{what=record|field}  written by newer senders and unknown to this version
 * komainu_ingest_refused_total                     records left out: a quota is reached, or they are not the sender's
 * komainu_ingest_foreign_total{name=}              names that are not the sender's: source, node, service, address
 * komainu_ingest_listener_failures_total           listeners that failed on a stored batch
 * </pre>
 */
final class IngestCounters {

    private final MeterRegistry registry;

    IngestCounters(MeterRegistry registry) {
        this.registry = registry;
        for (String outcome : new String[] {
            "stored",
            "duplicate",
            "malformed",
            "too_large",
            "media_type",
            "foreign_source",
            "quota",
            "busy",
            "store"
        }) {
            registry.counter("komainu.ingest.batches", "outcome", outcome);
        }
    }

    void outcome(String outcome) {
        registry.counter("komainu.ingest.batches", "outcome", outcome).increment();
    }

    void stored(Batch batch) {
        outcome("stored");
        Map<String, Integer> byType = new HashMap<>();
        for (TelemetryRecord record : batch.records()) {
            byType.merge(RecordJson.typeOf(record), 1, Integer::sum);
        }
        byType.forEach((type, count) ->
                registry.counter("komainu.ingest.records", "type", type).increment(count));
    }

    void skipped(DecodedBatch decoded) {
        if (decoded.skippedRecords() > 0) {
            registry.counter("komainu.ingest.skipped", "what", "record")
                    .increment(decoded.skippedRecords());
        }
        if (decoded.skippedFields() > 0) {
            registry.counter("komainu.ingest.skipped", "what", "field")
                    .increment(decoded.skippedFields());
        }
    }

    void refused(int records) {
        if (records > 0) {
            registry.counter("komainu.ingest.refused").increment(records);
        }
    }

    void listenerFailed() {
        registry.counter("komainu.ingest.listener.failures").increment();
    }
}
