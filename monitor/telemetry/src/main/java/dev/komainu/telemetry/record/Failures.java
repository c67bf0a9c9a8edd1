package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Failures that clients saw during one window, counted from its packets. A source that does not
 * count them sends none: a window without them says nothing about failures.
 *
 * @param resetUnanswered requests, complete or begun, whose answer had not begun when the server
 *     reset the connection
 * @param closedUnanswered the same, where the server closed the connection (FIN) before the client
 *     did. A request that the server's system had neither received nor acknowledged when it closed
 *     is not among them (RFC 9112 9.5)
 * @param deliberateUnavailable answers 503 with Retry-After (RFC 9110 15.6.4); they are among the
 *     window's errors, too
 * @param lostPages answers 403, 404 and 410 to GET and HEAD for paths that were answered 2xx or 304
 *     before
 * @param handshakes TLS handshakes begun: a ClientHello came
 * @param failedHandshakes TLS handshakes that one side gave up after the server's first answer, or
 *     that the server refused
 */
public record Failures(
        long resetUnanswered,
        long closedUnanswered,
        long deliberateUnavailable,
        long lostPages,
        long handshakes,
        long failedHandshakes) {

    /**
     * The counts of several windows together; {@code null} where one of them has none, because the
     * sum is then unknown.
     */
    public static @Nullable Failures sum(List<ServiceWindow> windows) {
        long reset = 0;
        long closed = 0;
        long deliberate = 0;
        long lost = 0;
        long begun = 0;
        long failed = 0;
        for (ServiceWindow window : windows) {
            Failures each = window.failures();
            if (each == null) {
                return null;
            }
            reset += each.resetUnanswered;
            closed += each.closedUnanswered;
            deliberate += each.deliberateUnavailable;
            lost += each.lostPages;
            begun += each.handshakes;
            failed += each.failedHandshakes;
        }
        return new Failures(reset, closed, deliberate, lost, begun, failed);
    }

    /** Requests that ended without an answer through the server's doing. */
    public long unanswered() {
        return resetUnanswered + closedUnanswered;
    }
}
