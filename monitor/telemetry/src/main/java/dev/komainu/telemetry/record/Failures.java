package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Failures seen by clients during one window, counted from its packets. A source that does not
 * count them sends none: a window without them has no information about failures.
 *
 * @param resetUnanswered requests, complete or partial, whose response had not begun when the
 *     server reset the connection
 * @param closedUnanswered such requests when the server closed the connection (FIN) before the
 *     client. A request that the server's system had neither received nor acknowledged at the close
 *     is not included (RFC 9112 9.5)
 * @param deliberateUnavailable responses 503 with Retry-After (RFC 9110 15.6.4), which are also
 *     included in the window's errors
 * @param lostPages responses 403, 404 and 410 to GET and HEAD for paths with an earlier response
 *     2xx or 304
 * @param handshakes TLS handshakes started by a ClientHello
 * @param failedHandshakes TLS handshakes that one side aborted after the server's first response,
 *     or that the server refused
 */
public record Failures(
        long resetUnanswered,
        long closedUnanswered,
        long deliberateUnavailable,
        long lostPages,
        long handshakes,
        long failedHandshakes) {

    /**
     * Returns the sums over several windows; {@code null} when one of them has no counts, because
     * the sum is then unknown.
     */
    public static @Nullable Failures sum(List<ServiceWindow> windows) {
        long reset = 0;
        long closed = 0;
        long deliberate = 0;
        long lost = 0;
        long begun = 0;
        long failed = 0;
        for (ServiceWindow window : windows) {
            Failures failures = window.failures();
            if (failures == null) {
                return null;
            }
            reset += failures.resetUnanswered;
            closed += failures.closedUnanswered;
            deliberate += failures.deliberateUnavailable;
            lost += failures.lostPages;
            begun += failures.handshakes;
            failed += failures.failedHandshakes;
        }
        return new Failures(reset, closed, deliberate, lost, begun, failed);
    }

    /** Returns the requests that ended without a response because of the server. */
    public long unanswered() {
        return resetUnanswered + closedUnanswered;
    }
}
