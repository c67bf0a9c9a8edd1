package dev.komainu.organizer.report;

import dev.komainu.telemetry.record.RecordSink;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * An existing way to the central service, for a component that reports besides its owner.
 *
 * @param node this host's name in records, as its owner reports it
 * @param sink accepts records
 * @param isReachable whether the central service answered the last request. While it does not, only
 *     records that must not be lost should be stored there
 * @param metrics supplies the metrics of the way to the central service, as Prometheus text
 */
public record ReportSink(
        String node, RecordSink sink, BooleanSupplier isReachable, Supplier<String> metrics) {}
