package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.DirectionChangeExchanges;
import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.ReadResult;
import dev.komainu.agent.connection.http.Http2Reader;
import dev.komainu.agent.connection.http.HttpStream;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.StreamPiece;
import dev.komainu.agent.connection.tcp.StreamReader;
import dev.komainu.agent.connection.tls.TlsStream;
import dev.komainu.telemetry.record.TlsFacts;
import org.jspecify.annotations.Nullable;

/**
 * Dispatcher of the two streams of a connection to the reader of their protocol. It decides from
 * the client's first bytes and passes each piece of the streams to that reader. When a reader can
 * no longer follow the stream, exchanges are found by changes of direction instead; when a request
 * begins at a clear place, reading resumes.
 */
final class ProtocolDispatcher implements StreamReader {

    // Values of ConnectionRow.PROTOCOL.
    private static final int UNDECIDED = 0;
    private static final int HTTP = 1;
    private static final int TLS = 2;
    private static final int DIRECTION_CHANGES = 3;
    private static final int TUNNEL = 4;
    private static final int HTTP_2 = 5;
    /** Left HTTP/1 for a protocol that is not known yet. */
    private static final int SWITCHED = 6;

    private final OpenExchanges exchanges;
    private final HttpStream http;
    private final Http2Reader http2;
    private final TlsStream tls;
    private final DirectionChangeExchanges directionChanges;

    ProtocolDispatcher(OpenExchanges exchanges, ConnectionListener listener) {
        this.exchanges = exchanges;
        this.http = new HttpStream(exchanges);
        this.http2 = new Http2Reader(exchanges);
        this.directionChanges = new DirectionChangeExchanges(exchanges);
        this.tls = new TlsStream(exchanges, directionChanges, listener);
    }

    /** Returns the slots of the readers in use. */
    int used() {
        return tls.hellosUsed() + http2.used();
    }

    /** Reports whether a requested response is missing. */
    boolean isUnanswered(ConnectionRow row) {
        return row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2
                ? http2.isUnanswered(row)
                : exchanges.isUnanswered(row);
    }

    /**
     * Returns the TLS facts of the connection, null without TLS; to be called once, when the row is
     * freed.
     */
    @Nullable
    TlsFacts drainTls(ConnectionRow row) {
        return tls.drain(row, row.byteAt(ConnectionRow.PROTOCOL) == TLS);
    }

    @Override
    public boolean ignoresAll(ConnectionRow row) {
        return row.byteAt(ConnectionRow.PROTOCOL) == TUNNEL || row.is(ConnectionRow.EXCHANGES_OVER);
    }

    @Override
    public int skippable(ConnectionRow row, boolean up) {
        return row.byteAt(ConnectionRow.PROTOCOL) == HTTP ? HttpStream.skippable(row, up) : 0;
    }

    @Override
    public boolean counted(ConnectionRow row, int bytes, long micros) {
        return row.byteAt(ConnectionRow.PROTOCOL) == HTTP
                && !row.is(ConnectionRow.EXCHANGES_OVER)
                && http.counted(row, bytes, micros);
    }

    @Override
    public void read(ConnectionRow row, boolean up, StreamPiece piece) {
        if (ignoresAll(row)) {
            return;
        }
        exchanges.reading(row, up, piece);
        int protocol = row.byteAt(ConnectionRow.PROTOCOL);
        if (up && protocol == UNDECIDED && !piece.hole) {
            protocol = piece.known > 0 ? recognise(row, piece) : DIRECTION_CHANGES;
            setProtocol(row, protocol);
            if (protocol == HTTP_2 && !http2.begin(row, false)) {
                protocol = DIRECTION_CHANGES;
                setProtocol(row, DIRECTION_CHANGES);
            }
        } else if (up
                && protocol == DIRECTION_CHANGES
                && row.is(ConnectionRow.MAY_RESUME)
                && mayResume(row, piece)) {
            while (OpenExchanges.oldest(row) != OpenExchanges.NONE) {
                exchanges.end(row, piece.firstMicros);
            }
            protocol = HTTP;
            setProtocol(row, HTTP);
        }
        if (protocol == SWITCHED && up && !piece.hole) {
            protocol = Http2Reader.begins(piece) && http2.begin(row, true) ? HTTP_2 : TUNNEL;
            row.setByte(ConnectionRow.PROTOCOL, protocol);
        }
        if (protocol == HTTP || protocol == TLS || protocol == HTTP_2) {
            ReadResult result = readerOf(row, protocol, up, piece);
            if (result == ReadResult.READ) {
                return;
            }
            if (protocol == HTTP) {
                row.mark(ConnectionRow.MAY_RESUME);
            }
            if (protocol == HTTP_2) {
                http2.closed(row, piece.lastMicros);
            }
            protocol = result == ReadResult.TUNNEL ? SWITCHED : DIRECTION_CHANGES;
            setProtocol(row, protocol);
        }
        if (protocol == DIRECTION_CHANGES && !piece.hole) {
            if (up) {
                directionChanges.up(row, piece.lastMicros);
            } else {
                directionChanges.down(row, piece);
            }
        }
    }

    @Override
    public void acknowledged(ConnectionRow row, int sequence, long micros) {
        exchanges.acknowledgements().acknowledged(row, sequence, micros);
    }

    @Override
    public void resent(ConnectionRow row, int from, int to) {
        exchanges.acknowledgements().resent(row, from, to);
    }

    private ReadResult readerOf(ConnectionRow row, int protocol, boolean up, StreamPiece piece) {
        return switch (protocol) {
            case HTTP -> http.read(row, up, piece);
            case TLS -> tls.read(row, up, piece);
            default -> http2.read(row, up, piece);
        };
    }

    private static void setProtocol(ConnectionRow row, int protocol) {
        row.setByte(ConnectionRow.PROTOCOL, protocol);
        if (protocol == HTTP || protocol == TLS) {
            row.resetParsers();
        }
    }

    private int recognise(ConnectionRow row, StreamPiece piece) {
        int first = piece.byteAt(0);
        if (first == 0x16) {
            return TLS;
        }
        if (first == 0x17 && piece.known > 1 && piece.byteAt(1) == 3) {
            TlsStream.pickedUp(row);
            return TLS;
        }
        if (first == 'P' && Http2Reader.begins(piece)) {
            return HTTP_2;
        }
        if (first >= 'A' && first <= 'Z') {
            return HTTP;
        }
        row.mark(ConnectionRow.MAY_RESUME);
        return DIRECTION_CHANGES;
    }

    private boolean mayResume(ConnectionRow row, StreamPiece piece) {
        return piece.known > 0 && directionChanges.beginsExchange(row) && HttpStream.begins(piece);
    }

    /**
     * Handles a server that closed first and had received everything before {@code acknowledged}.
     */
    void serverClosed(ConnectionRow row, int acknowledged) {
        if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2) {
            http2.serverClosed(row, acknowledged);
            return;
        }
        for (int exchange = OpenExchanges.oldest(row);
                exchange != OpenExchanges.NONE;
                exchange = exchanges.next(exchange)) {
            exchanges.failures().close(exchange, acknowledged);
        }
    }

    /** Handles the end of the server's stream: everything the server sent was read. */
    void serverEnded(ConnectionRow row, long micros) {
        if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP) {
            http.ended(row, micros);
        } else if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2) {
            http2.serverEnded(row, micros);
            return;
        }
        for (int exchange = OpenExchanges.oldest(row);
                exchange != OpenExchanges.NONE;
                exchange = exchanges.next(exchange)) {
            exchanges.failures().closed(row, exchange, micros);
        }
    }

    /** Handles the end of the connection, which ends its open exchanges. */
    void closed(ConnectionRow row, long micros) {
        if (row.byteAt(ConnectionRow.PROTOCOL) == TLS) {
            tls.closed(row, micros);
        } else if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2) {
            http2.closed(row, micros);
        }
        while (OpenExchanges.oldest(row) != OpenExchanges.NONE) {
            exchanges.end(row, micros);
        }
        row.mark(ConnectionRow.EXCHANGES_OVER);
    }
}
