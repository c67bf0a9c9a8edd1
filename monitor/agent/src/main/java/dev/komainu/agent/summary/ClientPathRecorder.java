package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.Distribution;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Recorder of the paths to the clients in the current window. */
final class ClientPathRecorder {

    private long sending;
    private long retransmitting;
    private @Nullable Histogram roundTrips;
    private @Nullable Histogram rates;

    void sending() {
        sending++;
    }

    void retransmitting() {
        retransmitting++;
    }

    void roundTrip(long micros, int bytes) {
        Histogram times = roundTrips == null ? Distribution.newRecorder() : roundTrips;
        Distribution.record(times, micros);
        roundTrips = times;
        if (bytes >= ClientPaths.LEAST_BYTES) {
            Histogram perSecond = rates == null ? Distribution.newRecorder() : rates;
            Distribution.record(perSecond, bytes * 1_000_000L / Math.max(1, micros));
            rates = perSecond;
        }
    }

    /** Returns the values recorded since the last call. */
    ClientPaths take() {
        if (sending == 0 && retransmitting == 0 && isEmpty(roundTrips)) {
            return ClientPaths.NONE;
        }
        ClientPaths taken = new ClientPaths(sending, retransmitting, take(roundTrips), take(rates));
        sending = 0;
        retransmitting = 0;
        return taken;
    }

    private static boolean isEmpty(@Nullable Histogram recorder) {
        return recorder == null || recorder.getTotalCount() == 0;
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
