package dev.komainu.telemetry.report;

import java.util.function.Consumer;

/** A limit of one message per minute, with a count of the suppressed ones. Any thread. */
final class MessageThrottle {

    private static final long MINUTE = 60_000_000_000L;

    private long last;
    private long suppressedCount;
    private boolean reportedBefore;

    /**
     * Passes a message on, unless one was passed on in the last minute.
     *
     * @param output receives the number of suppressed messages as text to append, or an empty text
     */
    synchronized void report(Consumer<String> output) {
        long now = System.nanoTime();
        if (reportedBefore && now - last < MINUTE) {
            suppressedCount++;
            return;
        }
        String suppressed = suppressedCount == 0
                ? ""
                : " (and " + suppressedCount + " suppressed since the last message)";
        reportedBefore = true;
        last = now;
        suppressedCount = 0;
        output.accept(suppressed);
    }
}
