package dev.komainu.central.store;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch as a store has it. Records that are never stored, such as views of a cluster, are
 * missing.
 *
 * @param receivedMicros instant of its arrival, microseconds since the epoch
 * @param bodies its records as wire messages, in their order
 */
record StoredBatch(BatchId id, long receivedMicros, List<byte[]> bodies) {

    /**
     * Returns the batch with its records.
     *
     * @throws SQLException when a record is damaged, or of a kind that this version does not know
     */
    Batch decoded() throws SQLException {
        List<TelemetryRecord> records = new ArrayList<>(bodies.size());
        for (byte[] body : bodies) {
            try {
                records.add(
                        RecordCodec.decode(body)
                                .orElseThrow(
                                        () -> new SQLException(
                                                id
                                                        + ": a record of an unknown kind (expected: the version of Komainu that stored it)")));
            } catch (MalformedBatchException e) {
                throw new SQLException(id + ": " + e.getMessage(), e);
            }
        }
        return new Batch(id, records);
    }
}
