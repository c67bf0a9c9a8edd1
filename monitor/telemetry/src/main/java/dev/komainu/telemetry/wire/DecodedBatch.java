package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Batch;

/**
 * A batch as this version decodes it.
 *
 * @param batch the records of known kinds
 * @param skippedRecords records of unknown kinds, from a newer writer
 * @param skippedFields unknown fields inside records of known kinds
 */
public record DecodedBatch(Batch batch, int skippedRecords, int skippedFields) {}
