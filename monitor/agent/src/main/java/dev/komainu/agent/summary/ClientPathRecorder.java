package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ClientPaths;

/** Recorder of the paths to the clients in the current window. */
final class ClientPathRecorder {

    private long sending;
    private long retransmitting;
    private final DurationRecorder roundTrips = new DurationRecorder();
    /** Bytes per second. */
    private final DurationRecorder rates = new DurationRecorder();

    void sending() {
        sending++;
    }

    void retransmitting() {
        retransmitting++;
    }

    void roundTrip(long micros, int bytes) {
        roundTrips.record(micros);
        if (bytes >= ClientPaths.LEAST_BYTES) {
            rates.record(rate(micros, bytes));
        }
    }

    /** Returns bytes per second. */
    static long rate(long micros, int bytes) {
        return bytes * 1_000_000L / Math.max(1, micros);
    }

    /** Returns the values recorded since the last call. */
    ClientPaths take() {
        if (sending == 0 && retransmitting == 0 && roundTrips.isEmpty()) {
            return ClientPaths.NONE;
        }
        ClientPaths taken =
                new ClientPaths(sending, retransmitting, roundTrips.take(), rates.take());
        sending = 0;
        retransmitting = 0;
        return taken;
    }
}
