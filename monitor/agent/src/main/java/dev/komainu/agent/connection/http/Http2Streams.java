package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.StreamPiece;

/**
 * The streams of HTTP/2 connections as exchanges (RFC 9113 8.1). T_r runs from the last frame of
 * the request to the HEADERS of the final response, T_d from there to END_STREAM. Streams that the
 * server opens (pushes) are not exchanges.
 */
final class Http2Streams {

    private static final int END_STREAM = 0x1;

    private final OpenExchanges exchanges;
    private final HpackBlock block = new HpackBlock();

    Http2Streams(OpenExchanges exchanges) {
        this.exchanges = exchanges;
    }

    static boolean endsStream(Http2Connection.Side side) {
        return (side.type == Http2Reader.HEADERS || side.type == Http2Reader.DATA)
                && (side.flags & END_STREAM) != 0;
    }

    /** Adds bytes of the current frame, including its header. */
    void more(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece) {
        if (side.type != Http2Reader.DATA
                && side.type != Http2Reader.HEADERS
                && side.type != Http2Reader.CONTINUATION) {
            return;
        }
        int exchange = connection.exchange(side.stream);
        if (exchange == OpenExchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.addRequest(row, exchange, piece.lastMicros);
        } else if (exchanges.is(exchange, OpenExchanges.ANSWERED)) {
            exchanges.addResponse(exchange, piece.firstMicros, piece.lastMicros);
        }
    }

    /** Handles a complete frame without a header block. */
    void frame(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece) {
        if (side.type == Http2Reader.RST_STREAM) {
            end(row, connection, side.stream, piece.lastMicros);
        } else if (side.type == Http2Reader.DATA) {
            int exchange = connection.exchange(side.stream);
            if (!up
                    && exchange != OpenExchanges.NONE
                    && !exchanges.is(exchange, OpenExchanges.ANSWERED)) {
                // Its HEADERS were not captured.
                exchanges.addResponse(exchange, piece.firstMicros, piece.lastMicros);
                exchanges.answered(row, exchange, 0, piece.lastMicros);
            }
            if (endsStream(side)) {
                ended(row, connection, side.stream, up, piece.lastMicros);
            }
        }
    }

    /** Handles a complete header block. */
    void block(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece) {
        boolean read = !side.blockLost && block.read(side.block, 0, side.blockLength, side.table);
        if (side.blockLost) {
            side.table.clear();
        }
        if (side.isPromise) {
            return;
        }
        int stream = side.blockStream;
        int exchange = connection.exchange(stream);
        // Bytes at the front may have come later.
        long first = Math.min(side.begunMicros, piece.lastMicros);
        long last = Math.max(side.begunMicros, piece.lastMicros);
        if (up) {
            if (exchange == OpenExchanges.NONE) {
                begin(row, connection, stream, !side.blockLost, first, last);
            }
        } else if (exchange != OpenExchanges.NONE) {
            int status = read || !side.blockLost ? block.status : 0;
            boolean interim = status >= 100 && status < 200;
            if (!interim) {
                exchanges.addResponse(exchange, first, last);
                exchanges.answered(row, exchange, status, last);
                if (status != 0 && block.hasRetryAfter) {
                    exchanges.mark(exchange, OpenExchanges.RETRY_AFTER);
                }
            }
        }
        if (side.endsStream) {
            ended(row, connection, stream, up, piece.lastMicros);
        }
    }

    private void begin(
            ConnectionRow row,
            Http2Connection connection,
            int stream,
            boolean isRead,
            long firstMicros,
            long lastMicros) {
        if ((stream & 1) == 0 || connection.isFull()) {
            return;
        }
        int exchange = exchanges.beginUnordered(row, firstMicros);
        if (exchange == OpenExchanges.NONE) {
            return;
        }
        exchanges.addRequest(row, exchange, lastMicros);
        connection.open(stream, exchange);
        if (isRead && block.methodLength > 0) {
            exchanges.append(exchange, block.method, 0, block.methodLength);
            exchanges.append(exchange, ' ');
            exchanges.mark(exchange, OpenExchanges.HAS_METHOD);
            if (block.pathLength >= 0) {
                exchanges.append(exchange, block.path, 0, block.pathLength);
                exchanges.mark(exchange, OpenExchanges.HAS_TARGET);
            }
        }
    }

    private void ended(
            ConnectionRow row, Http2Connection connection, int stream, boolean up, long micros) {
        if (up) {
            int exchange = connection.exchange(stream);
            if (exchange != OpenExchanges.NONE) {
                exchanges.complete(row, exchange, micros);
            }
        } else {
            end(row, connection, stream, micros);
        }
    }

    private void end(ConnectionRow row, Http2Connection connection, int stream, long micros) {
        int exchange = connection.exchange(stream);
        if (exchange != OpenExchanges.NONE) {
            connection.close(stream);
            exchanges.endUnordered(row, exchange, micros);
        }
    }

    boolean isUnanswered(Http2Connection connection) {
        for (int i = 0; i < connection.openStreams(); i++) {
            if (!exchanges.is(connection.exchangeAt(i), OpenExchanges.ANSWERED)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Handles a server that closed first and had received everything before {@code acknowledged}.
     */
    void close(Http2Connection connection, int acknowledged) {
        for (int i = 0; i < connection.openStreams(); i++) {
            exchanges.failures().close(connection.exchangeAt(i), acknowledged);
        }
    }

    /** Handles the end of the server's stream: everything the server sent was read. */
    void serverEnded(ConnectionRow row, Http2Connection connection, long micros) {
        for (int i = 0; i < connection.openStreams(); i++) {
            exchanges.failures().closed(row, connection.exchangeAt(i), micros);
        }
    }

    void closed(ConnectionRow row, Http2Connection connection, long micros) {
        while (connection.openStreams() > 0) {
            end(row, connection, connection.streamAt(0), micros);
        }
    }
}
