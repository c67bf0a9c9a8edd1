/**
 * The records: plain facts that monitors, hosts and proxies tell the central service.
 *
 * <p>Imports nothing of this project. {@code wire} knows how to write them down, {@code report} how
 * to send them; records know nobody. All instants are microseconds since the epoch (UTC), all
 * durations microseconds, all sizes bytes, unless the name says otherwise. {@code null} means "not
 * observable from where the source stood", never zero. Every record is immutable and may be shared
 * between threads.
 *
 * <p>Start at {@link dev.komainu.telemetry.record.TelemetryRecord}.
 */
@NullMarked
package dev.komainu.telemetry.record;

import org.jspecify.annotations.NullMarked;
