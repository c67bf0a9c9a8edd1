package dev.komainu.telemetry.report;

import java.util.function.Consumer;

/** Lets one message a minute through and tells how many it held back. Any thread. */
final class MessageThrottle {

    private static final long MINUTE = 60_000_000_000L;

    private long last;
    private long held;
    private boolean spoke;

    /** @param speak gets the number held back since the last time, as text to append, or nothing */
    synchronized void say(Consumer<String> speak) {
        long now = System.nanoTime();
        if (spoke && now - last < MINUTE) {
            held++;
            return;
        }
        String suppressed =
                held == 0 ? "" : " (and " + held + " times more since the last message)";
        spoke = true;
        last = now;
        held = 0;
        speak.accept(suppressed);
    }
}
