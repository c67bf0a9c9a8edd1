package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Recorder of the parts of T_r in the current window. Most services are silent most of the time, so
 * a histogram is allocated with its first value. Negative durations stand for missing samples.
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

    void responded(long micros) {
        think = record(think, micros);
    }

    /** Returns the values recorded since the last call. */
    ServiceWindow.RoundTrips take() {
        return new ServiceWindow.RoundTrips(
                take(server), take(client), take(acknowledgement), take(think));
    }

    private static @Nullable Histogram record(@Nullable Histogram recorder, long micros) {
        if (micros < 0) {
            return recorder;
        }
        Histogram histogram = recorder == null ? Distribution.newRecorder() : recorder;
        Distribution.record(histogram, micros);
        return histogram;
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
