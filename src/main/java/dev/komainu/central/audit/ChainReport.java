package dev.komainu.central.audit;

import org.jspecify.annotations.Nullable;

/**
 * The result of a check of the audit log.
 *
 * @param first number of the oldest row; 0 when there is none
 * @param rows rows that were read until the first fault
 * @param head the newest row up to which the log is complete
 * @param headsCompared heads from outside the log that name a row in it and match
 * @param newestCompared the newest of them
 * @param fault the first fault; absent: the log is complete
 */
public record ChainReport(
        long first,
        long rows,
        AuditHead head,
        int headsCompared,
        @Nullable AuditHead newestCompared,
        @Nullable ChainFault fault) {

    public boolean complete() {
        return fault == null;
    }
}
