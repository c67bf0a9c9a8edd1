package dev.komainu.telemetry.record;

import java.util.function.ToLongFunction;

/**
 * Counters of a {@link ServiceWindow} to which each connection contributes. The number of a counter
 * is its place in this list and the number of its cell in {@link ConnectionParts}: constants are
 * only appended, and never removed.
 */
public enum PartCounter {
    ARRIVALS(window -> window.connections().arrivals()),
    ENDED(window -> window.connections().ended()),
    REFUSED(window -> window.connections().refused()),
    NO_ANSWER(window -> window.connections().noAnswer()),
    RESETS_BY_CLIENT(window -> window.connections().resetsByClient()),
    RESETS_BY_SERVER(window -> window.connections().resetsByServer()),
    TIMEOUTS(window -> window.connections().timeouts()),
    REQUESTS(window -> window.exchanges().requests()),
    RESPONSES(window -> window.exchanges().responses()),
    ERRORS(window -> window.exchanges().errors()),
    /** Microseconds for which the connection was open. */
    OPEN_MICROS(window -> area(window, window.concurrency().concurrentMean())),
    /** Microseconds for which requests waited, summed over the requests. */
    WAITING_MICROS(window -> area(window, window.concurrency().processingMean())),
    /** 1 if the connection was open when the window began. A whole window does not contain it. */
    OPEN_AT_BEGIN(window -> 0),
    PACKETS_UP(window -> window.packets().up().packets()),
    WIRE_BYTES_UP(window -> window.packets().up().wireBytes()),
    PAYLOAD_BYTES_UP(window -> window.packets().up().payloadBytes()),
    UNIQUE_BYTES_UP(window -> window.packets().up().uniqueBytes()),
    RETRANSMISSIONS_UP(window -> window.packets().up().retransmissions()),
    OUT_OF_ORDER_UP(window -> window.packets().up().outOfOrder()),
    ZERO_WINDOW_UP(window -> window.packets().up().zeroWindow()),
    PACKETS_DOWN(window -> window.packets().down().packets()),
    WIRE_BYTES_DOWN(window -> window.packets().down().wireBytes()),
    PAYLOAD_BYTES_DOWN(window -> window.packets().down().payloadBytes()),
    UNIQUE_BYTES_DOWN(window -> window.packets().down().uniqueBytes()),
    RETRANSMISSIONS_DOWN(window -> window.packets().down().retransmissions()),
    OUT_OF_ORDER_DOWN(window -> window.packets().down().outOfOrder()),
    ZERO_WINDOW_DOWN(window -> window.packets().down().zeroWindow()),
    SYN_REPEATS(window -> window.packets().synRepeats()),
    UNSEEN_SEGMENTS(window -> window.packets().unseenSegments()),
    RESET_UNANSWERED(failure(Failures::resetUnanswered)),
    CLOSED_UNANSWERED(failure(Failures::closedUnanswered)),
    DELIBERATE_UNAVAILABLE(failure(Failures::deliberateUnavailable)),
    LOST_PAGES(failure(Failures::lostPages)),
    HANDSHAKES(failure(Failures::handshakes)),
    FAILED_HANDSHAKES(failure(Failures::failedHandshakes)),
    SENDING_CONNECTIONS(path(ClientPaths::sendingConnections)),
    RETRANSMITTING_CONNECTIONS(path(ClientPaths::retransmittingConnections));

    private static final PartCounter[] ALL = values();

    /** Number of counters. */
    public static final int COUNT = ALL.length;

    private final ToLongFunction<ServiceWindow> inWindow;

    PartCounter(ToLongFunction<ServiceWindow> inWindow) {
        this.inWindow = inWindow;
    }

    /** Returns the counter's value in a window. */
    public long of(ServiceWindow window) {
        return inWindow.applyAsLong(window);
    }

    static PartCounter at(int number) {
        return ALL[number];
    }

    private static long area(ServiceWindow window, double mean) {
        return Math.round(mean * window.lengthMicros());
    }

    private static ToLongFunction<ServiceWindow> failure(ToLongFunction<Failures> counter) {
        return window -> {
            Failures failures = window.failures();
            return failures == null ? 0 : counter.applyAsLong(failures);
        };
    }

    private static ToLongFunction<ServiceWindow> path(ToLongFunction<ClientPaths> counter) {
        return window -> {
            ClientPaths paths = window.clientPaths();
            return paths == null ? 0 : counter.applyAsLong(paths);
        };
    }
}
