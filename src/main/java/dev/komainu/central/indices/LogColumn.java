package dev.komainu.central.indices;

import dev.komainu.telemetry.record.AccessLogWindow;
import java.util.function.ToDoubleFunction;

/** The columns of a window of a server's own access log; counts become rates per second. */
enum LogColumn {
    CONCURRENT(w -> w.durations().hasDurations() ? w.concurrentMean() : Double.NaN),
    CONCURRENT_MAX(w -> w.durations().hasDurations() ? w.concurrentMax() : Double.NaN),
    ENTRIES(w -> w.counts().entries() * 1e6 / w.lengthMicros()),
    ERRORS(w -> w.counts().errors() * 1e6 / w.lengthMicros());

    private final ToDoubleFunction<AccessLogWindow> value;

    LogColumn(ToDoubleFunction<AccessLogWindow> value) {
        this.value = value;
    }

    double of(AccessLogWindow window) {
        return value.applyAsDouble(window);
    }
}
