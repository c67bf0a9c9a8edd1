package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.SourceStatus;

/**
 * One source and how it fares.
 *
 * @param name stable name, such as {@code agent@web-01}
 * @param status what it last said of itself
 * @param lastSeenMicros when anything of it last arrived, by our clock
 * @param silent nothing for more than {@value Fleet#SILENT_SECONDS} s
 */
public record SourceProfile(
        String name, SourceStatus status, long lastSeenMicros, boolean silent) {}
