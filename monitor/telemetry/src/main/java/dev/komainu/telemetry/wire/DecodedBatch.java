package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Batch;

/**
 * A batch as this version understands it.
 *
 * @param batch the records it knows
 * @param skippedRecords records of kinds it does not know: a newer writer's
 * @param skippedFields fields it does not know, inside records it knows
 */
public record DecodedBatch(Batch batch, int skippedRecords, int skippedFields) {}
