package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;

/**
 * Sink that marks windows which began before the capture as incomplete, so that a better source is
 * preferred. An agent that is killed may be back within the same second: no other value shows that
 * a part of it was missed. All other records pass. Any thread.
 */
public final class FirstWindowMarker implements RecordSink {

    private final RecordSink next;
    private final long sinceMicros;

    /**
     * Creates a marker in front of another sink.
     *
     * @param sinceMicros instant at which all interfaces were open, in Unix time
     */
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
