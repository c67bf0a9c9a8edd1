package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.Failures;

/** Counters of client failures in the current window. */
final class FailureCounter {

    private long resetUnanswered;
    private long closedUnanswered;
    private long deliberateUnavailable;
    private long lostPages;
    private long handshakes;
    private long failedHandshakes;

    void unanswered(boolean reset) {
        if (reset) {
            resetUnanswered++;
        } else {
            closedUnanswered++;
        }
    }

    void deliberatelyUnavailable() {
        deliberateUnavailable++;
    }

    void pageLost() {
        lostPages++;
    }

    void handshakeBegan() {
        handshakes++;
    }

    void handshakeFailed() {
        failedHandshakes++;
    }

    /** Returns the counts so far and resets them. */
    Failures take() {
        Failures taken = new Failures(
                resetUnanswered,
                closedUnanswered,
                deliberateUnavailable,
                lostPages,
                handshakes,
                failedHandshakes);
        resetUnanswered = 0;
        closedUnanswered = 0;
        deliberateUnavailable = 0;
        lostPages = 0;
        handshakes = 0;
        failedHandshakes = 0;
        return taken;
    }
}
