package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ServiceWindow;

/** Recorder of the parts of T_r in the current window. Negative durations are missing samples. */
final class RoundTripRecorder {

    private final DurationRecorder server = new DurationRecorder();
    private final DurationRecorder client = new DurationRecorder();
    private final DurationRecorder acknowledgement = new DurationRecorder();
    private final DurationRecorder think = new DurationRecorder();

    void handshake(long serverMicros, long clientMicros) {
        record(server, serverMicros);
        record(client, clientMicros);
    }

    void acknowledged(long micros) {
        record(acknowledgement, micros);
    }

    void responded(long micros) {
        record(think, micros);
    }

    /** Returns the values recorded since the last call. */
    ServiceWindow.RoundTrips take() {
        return new ServiceWindow.RoundTrips(
                server.take(), client.take(), acknowledgement.take(), think.take());
    }

    private static void record(DurationRecorder recorder, long micros) {
        if (micros >= 0) {
            recorder.record(micros);
        }
    }
}
