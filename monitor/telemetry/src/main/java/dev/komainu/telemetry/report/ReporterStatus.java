package dev.komainu.telemetry.report;

import org.jspecify.annotations.Nullable;

/**
 * The status of a reporter, with counters since its start.
 *
 * @param sentBatches batches the central service has confirmed
 * @param sentRecords records in these batches
 * @param rejectedBatches poisoned batches, stored in the quarantine
 * @param refusals attempts with response 401 or 403
 * @param failures attempts without a usable response
 * @param queuedRecords records not yet in a batch
 * @param waitingRecords records in waiting batches, in memory and on disk
 * @param spoolBytes size of the spool on disk
 * @param lastTrouble failure of the last attempt; absent after a success
 * @param central address of the central service in use: the last one that answered
 * @param centralChanges how often another address came into use
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
        @Nullable String lastTrouble,
        String central,
        long centralChanges) {}
