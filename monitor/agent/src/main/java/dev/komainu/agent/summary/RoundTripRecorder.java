package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What T_r is made of, in the window now filling. Most services are silent most of the time, so a
 * histogram is made with its first value. Negative durations stand for samples that could not be
 * taken.
 */
final class RoundTripRecorder {

    private @Nullable Histogram server;
    private @Nullable Histogram client;
    private @Nullable Histogram acknowledgement;
    private @Nullable Histogram think;

    void handshake(long serverMicros, long clientMicros) {
        server = record(server, serverMicros);
        client = record(client, clientMicros);
    }

    void acknowledged(long micros) {
        acknowledgement = record(acknowledgement, micros);
    }

    void thought(long micros) {
        think = record(think, micros);
    }

    /** What was recorded since the last call. */
    ServiceWindow.RoundTrips take() {
        return new ServiceWindow.RoundTrips(
                take(server), take(client), take(acknowledgement), take(think));
    }

    private static @Nullable Histogram record(@Nullable Histogram recorder, long micros) {
        if (micros < 0) {
            return recorder;
        }
        Histogram there = recorder == null ? Distribution.newRecorder() : recorder;
        Distribution.record(there, micros);
        return there;
    }

    private static Distribution take(@Nullable Histogram recorder) {
        if (recorder == null || recorder.getTotalCount() == 0) {
            return Distribution.empty();
        }
        Distribution taken = Distribution.of(recorder);
        recorder.reset();
        return taken;
    }
}
