package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.SourceStatus;

/**
 * One source and its status.
 *
 * @param name stable name, such as {@code agent@web-01}
 * @param status its last status report
 * @param lastSeenMicros time of the last data from it, by this service's clock
 * @param silent whether nothing arrived for more than {@value Fleet#SILENT_SECONDS} s
 */
public record SourceProfile(
        String name, SourceStatus status, long lastSeenMicros, boolean silent) {}
