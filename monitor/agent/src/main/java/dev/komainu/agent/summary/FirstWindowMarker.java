package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;

/**
 * Tells of windows that began before capturing did that they are not whole, so that whoever knows
 * better is believed. An agent that is killed may be back within the same second: nothing else
 * shows that some of it was not seen. Everything else passes. Any thread.
 */
public final class FirstWindowMarker implements RecordSink {

    private final RecordSink next;
    private final long sinceMicros;

    /** @param sinceMicros when all interfaces were open, in Unix time */
    public FirstWindowMarker(long sinceMicros, RecordSink next) {
        this.sinceMicros = sinceMicros;
        this.next = next;
    }

    @Override
    public void accept(TelemetryRecord record) {
        next.accept(record instanceof ServiceWindow window ? marked(window) : record);
    }

    private ServiceWindow marked(ServiceWindow window) {
        return window.fromMicros() >= sinceMicros
                ? window
                : window.since(Math.min(sinceMicros, window.atMicros() - 1));
    }
}
