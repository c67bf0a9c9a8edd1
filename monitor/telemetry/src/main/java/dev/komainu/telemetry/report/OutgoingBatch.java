package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.BatchId;

/**
 * A closed batch on its way, in the bytes it will be sent as, every time the same.
 *
 * @param records how many records it holds
 * @param body one zstd frame
 */
record OutgoingBatch(BatchId id, int records, byte[] body) {}
