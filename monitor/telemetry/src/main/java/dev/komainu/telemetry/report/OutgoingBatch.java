package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.BatchId;

/**
 * A closed batch in its final bytes, which are the same at each attempt.
 *
 * @param records number of its records
 * @param body one zstd frame
 */
record OutgoingBatch(BatchId id, int records, byte[] body) {}
