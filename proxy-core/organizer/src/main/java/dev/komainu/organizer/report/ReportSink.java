package dev.komainu.organizer.report;

import dev.komainu.telemetry.record.RecordSink;
import java.util.function.BooleanSupplier;

/**
 * The way to the central service that a process has already, for whoever reports beside its owner.
 *
 * @param node this host's name in records, as its owner tells it
 * @param sink takes records
 * @param answers whether the centre answered when it was asked last: while it does not, only what
 *     must not be lost should wait there
 */
public record ReportSink(String node, RecordSink sink, BooleanSupplier answers) {}
