package dev.komainu.load.browser;

/** What came of one wish. Instants are of {@link System#nanoTime}. */
public sealed interface RequestOutcome {

    /**
     * When it was to be there: the load's own lateness is part of every time, or a slow server
     * would slow the clock.
     */
    long wishedNanos();

    /**
     * @param firstByteNanos the head was there
     * @param lastByteNanos the body was whole
     * @param status 100 to 599
     * @param bytes of the body
     * @param connected whether a connection had to be made for it
     */
    record Answered(
            long wishedNanos,
            long firstByteNanos,
            long lastByteNanos,
            int status,
            long bytes,
            CacheIndicator sign,
            boolean connected)
            implements RequestOutcome {}

    /** Answered with 503, and to be asked again: told besides what comes of it in the end. */
    record Postponed(long wishedNanos) implements RequestOutcome {}

    record Failed(long wishedNanos, RequestFailure why) implements RequestOutcome {}
}
