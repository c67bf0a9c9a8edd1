package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.SequenceNumbers;

/**
 * Reporter of failures that clients see: requests that the server left without a response,
 * deliberate 503s, and pages that exist or do not.
 *
 * <p>A server that closes an idle connection does not see the request that is already on its way
 * (RFC 9112 9.5). So of the requests in progress at the server's FIN, a request counts only if that
 * FIN, or a segment before it, acknowledged its first segment: a FIN acknowledges everything its
 * system has received. A reset counts for every request seen: it also responds to data that never
 * reached the program, and the request is lost in that case too.
 */
public final class ClientFailures {

    private static final int UNAVAILABLE = 503;

    private final OpenExchanges exchanges;
    private final ConnectionListener listener;

    ClientFailures(OpenExchanges exchanges, ConnectionListener listener) {
        this.exchanges = exchanges;
        this.listener = listener;
    }

    /**
     * Marks the requests that the server leaves: it closed first and had received everything before
     * {@code acknowledged}.
     */
    public void close(int exchange, int acknowledged) {
        if (isWaiting(exchange)
                && !SequenceNumbers.before(acknowledged, exchanges.firstEnd(exchange))) {
            exchanges.mark(exchange, OpenExchanges.ABANDONED);
        }
    }

    /**
     * Handles the end of the server's stream: everything the server sent before its FIN was read,
     * so no response can follow.
     */
    public void closed(ConnectionRow row, int exchange, long micros) {
        if (exchanges.is(exchange, OpenExchanges.ABANDONED)) {
            exchanges.unmark(exchange, OpenExchanges.ABANDONED);
            if (isWaiting(exchange)) {
                listener.unanswered(row.service(), micros, false);
            }
        }
    }

    /** Handles the end of an exchange. */
    void ended(ConnectionRow row, int exchange, int status, long micros) {
        if (exchanges.is(exchange, OpenExchanges.ANSWERED)) {
            answered(row, exchange, status, micros);
        } else if (row.is(ConnectionRow.RST_DOWN)
                && row.is(ConnectionRow.SERVER_FIRST)
                && !row.is(ConnectionRow.FIN_DOWN)) {
            if (isWaiting(exchange)) {
                listener.unanswered(row.service(), micros, true);
            }
        } else {
            closed(row, exchange, micros);
        }
    }

    private boolean isWaiting(int exchange) {
        return !exchanges.is(exchange, OpenExchanges.ANSWERED)
                && exchanges.firstByteMicros(exchange) == 0;
    }

    private void answered(ConnectionRow row, int exchange, int status, long micros) {
        if (status == UNAVAILABLE) {
            if (exchanges.is(exchange, OpenExchanges.RETRY_AFTER)) {
                listener.deliberatelyUnavailable(row.service(), micros);
            }
            return;
        }
        boolean found = (status >= 200 && status < 300) || status == 304;
        if (found || status == 403 || status == 404 || status == 410) {
            long path = exchanges.pathHash(exchange);
            if (path != 0) {
                listener.page(row.service(), micros, path, found);
            }
        }
    }
}
