package dev.komainu.central.limit;

import java.util.Locale;
import java.util.Optional;

/**
 * The heap that all limits together can need, checked before the start: a service that its clients
 * can end is not started.
 */
public final class HeapPlan {

    /**
     * Heap of one connection with a request: buffers, the thread's stack. Measured: 77 to 116 KB.
     */
    static final int REQUEST_BYTES = 112 << 10;

    /** Heap of one connection with half a request. Measured: 58 KB, and its body's bytes. */
    static final int UNFINISHED_BYTES = 64 << 10;

    /** Heap of one connection without a request. Measured: 18 to 20 KB. */
    static final int IDLE_BYTES = 24 << 10;

    /** Heap of the service itself without clients. Measured: 33 MB after a start. */
    static final long BASE_BYTES = 40L << 20;

    /**
     * Heap of one busy service when all its rings are full. Measured: 100 MB for 500 and the base,
     * with rings that were filled to a half.
     */
    static final int SERVICE_BYTES = 256 << 10;

    private HeapPlan() {}

    /**
     * Returns the sentence that explains why the limits do not fit; empty when they fit.
     *
     * @param heap largest heap in bytes
     * @param streams limit of event streams
     * @param services limit of services
     * @param replay memory for events that can be sent again
     * @param batch largest batch as sent
     */
    public static Optional<String> problem(
            long heap, int streams, int services, long replay, long batch) {
        long budget = RequestLimit.BUDGET_SHARE.shareOf(heap);
        long connections = (long) REQUEST_BYTES
                        * (RequestLimit.STRANGER_CONNECTIONS.value()
                                + RequestLimit.REQUESTS.value()
                                + RequestLimit.INGEST_REQUESTS.value()
                                + streams)
                + (long) UNFINISHED_BYTES * RequestLimit.UNFINISHED_CONNECTIONS.value()
                + (long) IDLE_BYTES
                        * (RequestLimit.OPENED_CONNECTIONS.value()
                                + RequestLimit.IDLE_CONNECTIONS.value()
                                + RequestLimit.CALLER_IDLE_CONNECTIONS.value());
        long events = replay + RequestLimit.STREAMS_BACKLOG.value();
        long fleet = (long) SERVICE_BYTES * services;
        long needed = BASE_BYTES + fleet + budget + connections + events;
        if (needed > heap) {
            long wholeHeap = (needed - budget) * 100 / (100 - RequestLimit.BUDGET_SHARE.value());
            return Optional.of(String.format(
                    Locale.ROOT,
                    "heap: %d MB (expected: at least %d MB: %d MB for the service, %d MB for"
                            + " komainu.fleet.max-services=%d, %d MB for bytes in hand, %d MB for connections with komainu.stream.clients=%d, %d"
                            + " MB for events with komainu.stream.replay; raise -Xmx or lower these"
                            + " settings)",
                    heap >> 20,
                    (wholeHeap + (1 << 20)) >> 20,
                    BASE_BYTES >> 20,
                    fleet >> 20,
                    services,
                    budget >> 20,
                    connections >> 20,
                    streams,
                    events >> 20));
        }
        if (batch > budget) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "komainu.ingest.max-body: %d MB (expected: at most %d MB, the bytes in hand of a"
                            + " heap of %d MB; raise -Xmx or lower the setting)",
                    batch >> 20,
                    budget >> 20,
                    heap >> 20));
        }
        return Optional.empty();
    }
}
