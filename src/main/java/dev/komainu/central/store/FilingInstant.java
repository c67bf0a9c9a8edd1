package dev.komainu.central.store;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;

/**
 * The instant under which a record is stored. For a window it is the start of its slot, because
 * queries for steps select by it.
 */
final class FilingInstant {

    private FilingInstant() {}

    static long fromOf(TelemetryRecord record) {
        return switch (record) {
            case ServiceWindow window -> slot(window.fromMicros());
            case ProxyWindow window -> slot(window.fromMicros());
            case AccessLogWindow window -> slot(window.fromMicros());
            default -> record.atMicros();
        };
    }

    private static long slot(long from) {
        return Math.floorDiv(from, StepCollector.SLOT_MICROS) * StepCollector.SLOT_MICROS;
    }
}
