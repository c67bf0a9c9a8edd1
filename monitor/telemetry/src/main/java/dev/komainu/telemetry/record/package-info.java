/**
 * The records: plain facts that monitors, hosts and proxies report to the central service.
 *
 * <p>The package imports nothing of this project. {@code wire} encodes records, {@code report}
 * sends them; records depend on neither. All instants are microseconds since the epoch (UTC), all
 * durations microseconds, all sizes bytes, unless the name says otherwise. {@code null} means "not
 * observable by the source", never zero. Every record is immutable and may be shared between
 * threads.
 *
 * <p>Start at {@link dev.komainu.telemetry.record.TelemetryRecord}.
 */
@NullMarked
package dev.komainu.telemetry.record;

import org.jspecify.annotations.NullMarked;
