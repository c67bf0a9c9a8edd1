package dev.komainu.load.browser;

/** The outcome of one request. Instants are of {@link System#nanoTime}. */
public sealed interface RequestOutcome {

    /**
     * Returns the instant at which the request was due. Delays of the load itself are part of every
     * time; otherwise a slow server would slow down the measurement.
     */
    long dueNanos();

    /**
     * A response.
     *
     * @param firstByteNanos arrival of the head
     * @param lastByteNanos arrival of the complete body
     * @param status 100 to 599
     * @param bytes bytes of the body
     * @param connected whether a connection was opened for the request
     */
    record Answered(
            long dueNanos,
            long firstByteNanos,
            long lastByteNanos,
            int status,
            long bytes,
            CacheIndicator indicator,
            boolean connected)
            implements RequestOutcome {}

    /** A 503 response after which the request is retried; the final outcome follows separately. */
    record Postponed(long dueNanos) implements RequestOutcome {}

    record Failed(long dueNanos, RequestFailure reason) implements RequestOutcome {}
}
