package dev.komainu.central.store;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;

/**
 * The instant a record is filed under: for a window its slot's start, which is what ranges of steps
 * ask by.
 */
final class FilingInstant {

    private FilingInstant() {}

    static long fromOf(TelemetryRecord record) {
        return switch (record) {
            case ServiceWindow it -> slot(it.fromMicros());
            case ProxyWindow it -> slot(it.fromMicros());
            case AccessLogWindow it -> slot(it.fromMicros());
            default -> record.atMicros();
        };
    }

    private static long slot(long from) {
        return Math.floorDiv(from, StepCollector.SLOT_MICROS) * StepCollector.SLOT_MICROS;
    }
}
