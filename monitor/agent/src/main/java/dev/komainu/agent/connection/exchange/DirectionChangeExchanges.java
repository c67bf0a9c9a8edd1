package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.StreamPiece;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Exchanges found by change of direction only: the client's bytes up to the server's next bytes are
 * a request, the server's bytes are its response. Used where the stream cannot be read: other
 * protocols, heads cut by a snaplen, holes in the capture.
 *
 * <p>Where a segment happens to begin with a readable status line, its status is used. Exchanges
 * found this way have no method unless one was read before.
 */
public final class DirectionChangeExchanges {

    private static final String VERSION = "HTTP/1.";
    private static final int STATUS_AT = 9;

    private final OpenExchanges exchanges;

    public DirectionChangeExchanges(OpenExchanges exchanges) {
        this.exchanges = exchanges;
    }

    /** Reports whether client data would begin a new exchange now. */
    public boolean beginsExchange(ConnectionRow row) {
        int exchange = OpenExchanges.oldest(row);
        return exchange == OpenExchanges.NONE || exchanges.is(exchange, OpenExchanges.ANSWERED);
    }

    /**
     * Handles new data from the client. After a response, requests before it count as over: it is
     * unknown which response belonged to which request.
     */
    public void up(ConnectionRow row, long micros) {
        int exchange = OpenExchanges.oldest(row);
        if (exchange != OpenExchanges.NONE && exchanges.is(exchange, OpenExchanges.ANSWERED)) {
            while (exchange != OpenExchanges.NONE) {
                exchanges.end(row, micros);
                exchange = OpenExchanges.oldest(row);
            }
        }
        if (exchange == OpenExchanges.NONE) {
            exchanges.begin(row, micros);
        } else {
            exchanges.addRequest(row, exchange, micros);
        }
    }

    /** Handles new data from the server. */
    public void down(ConnectionRow row, StreamPiece piece) {
        int exchange = OpenExchanges.oldest(row);
        if (exchange != OpenExchanges.NONE) {
            boolean only = exchange == OpenExchanges.newest(row);
            boolean begins = only && !exchanges.is(exchange, OpenExchanges.ANSWERED);
            down(row, piece.firstMicros, piece.lastMicros, begins ? status(piece) : 0);
        }
    }

    /**
     * Handles new data from the server with known times.
     *
     * @param status 0 when unreadable
     */
    public void down(ConnectionRow row, long firstMicros, long lastMicros, int status) {
        int exchange = OpenExchanges.oldest(row);
        if (exchange == OpenExchanges.NONE || (status >= 100 && status < 200 && status != 101)) {
            return;
        }
        exchanges.addResponse(exchange, firstMicros, lastMicros);
        exchanges.answered(row, exchange, status, lastMicros);
    }

    private static int status(StreamPiece piece) {
        if (piece.known < STATUS_AT + 3) {
            return 0;
        }
        MemorySegment m = piece.memory;
        for (int i = 0; i < VERSION.length(); i++) {
            if (m.get(ValueLayout.JAVA_BYTE, piece.offset + i) != VERSION.charAt(i)) {
                return 0;
            }
        }
        int status = 0;
        for (int i = STATUS_AT; i < STATUS_AT + 3; i++) {
            int digit = m.get(ValueLayout.JAVA_BYTE, piece.offset + i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            status = status * 10 + digit;
        }
        return status;
    }
}
