package dev.komainu.telemetry.report;

import org.jspecify.annotations.Nullable;

/**
 * How a reporter fares. Counters since its start.
 *
 * @param sentBatches batches the central service has confirmed
 * @param sentRecords records in them
 * @param rejectedBatches poisoned ones, set aside
 * @param refusals attempts answered by 401 or 403
 * @param failures attempts without a useful answer
 * @param queuedRecords not yet in a batch
 * @param waitingRecords in batches waiting, in memory and on disk
 * @param spoolBytes on disk now
 * @param lastTrouble the last attempt's failure; absent after a success
 */
public record ReporterStatus(
        long sentBatches,
        long sentRecords,
        long rejectedBatches,
        long refusals,
        long failures,
        int queuedRecords,
        long waitingRecords,
        long spoolBytes,
        @Nullable String lastTrouble) {}
