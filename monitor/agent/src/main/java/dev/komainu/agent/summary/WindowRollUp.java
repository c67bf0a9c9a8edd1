package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sink that combines short windows into longer ones, for an operator; all other records pass. A
 * long window is reported when the first short one after it comes, or with {@link #flush}. Any
 * thread.
 */
public final class WindowRollUp implements RecordSink {

    private final RecordSink next;
    private final long length;
    private final Map<String, List<ServiceWindow>> waiting = new LinkedHashMap<>();

    /**
     * Creates a roll-up in front of another sink.
     *
     * @param length a multiple of the short windows'
     */
    public WindowRollUp(Duration length, RecordSink next) {
        this.length = length.toNanos() / 1_000;
        this.next = next;
    }

    @Override
    public synchronized void accept(TelemetryRecord record) {
        if (!(record instanceof ServiceWindow window)) {
            next.accept(record);
            return;
        }
        List<ServiceWindow> own =
                waiting.computeIfAbsent(window.service(), service -> new ArrayList<>());
        if (!own.isEmpty() && start(own.getFirst()) != start(window)) {
            report(own);
        }
        own.add(window);
    }

    /** Reports the collected windows as they are: no record follows. */
    public synchronized void flush() {
        waiting.values().forEach(this::report);
        waiting.clear();
    }

    private long start(ServiceWindow window) {
        return Math.floorDiv(window.fromMicros(), length) * length;
    }

    private void report(List<ServiceWindow> parts) {
        if (!parts.isEmpty()) {
            next.accept(WindowSum.of(start(parts.getFirst()), length, parts));
            parts.clear();
        }
    }
}
