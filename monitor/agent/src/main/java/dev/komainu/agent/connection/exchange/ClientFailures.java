package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.SequenceNumbers;

/**
 * Reports failures that clients see: requests that the server left without an answer, deliberate
 * 503s, and pages that are there or not.
 *
 * <p>A server that closes an idle connection does not see the request that is already on its way
 * (RFC 9112 9.5). So of the requests under way at the server's FIN only those count of which that
 * FIN, or a segment before it, acknowledged the first segment: a FIN acknowledges everything its
 * system has received. A reset counts for every request seen: it also answers what never reached
 * the program, and then the request is lost all the same.
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
     * The server closed first and had received everything before {@code acknowledged}: marks what
     * it leaves.
     */
    public void close(int exchange, int acknowledged) {
        if (isWaiting(exchange)
                && !SequenceNumbers.before(acknowledged, exchanges.firstEnd(exchange))) {
            exchanges.mark(exchange, OpenExchanges.LEFT);
        }
    }

    /** Everything the server sent before its FIN was read: no answer comes any more. */
    public void closed(ConnectionRow row, int exchange, long micros) {
        if (exchanges.is(exchange, OpenExchanges.LEFT)) {
            exchanges.unmark(exchange, OpenExchanges.LEFT);
            if (isWaiting(exchange)) {
                listener.unanswered(row.service(), micros, false);
            }
        }
    }

    /** The exchange is over. */
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
        boolean found = status >= 200 && status < 300 || status == 304;
        if (found || status == 403 || status == 404 || status == 410) {
            long path = exchanges.pathHash(exchange);
            if (path != 0) {
                listener.page(row.service(), micros, path, found);
            }
        }
    }
}
