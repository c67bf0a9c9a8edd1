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
 * What the two sides say to each other: decides from the client's first bytes how to read a
 * connection, and hands each piece of the streams to that reader. When a reader loses the thread,
 * directions alternate instead; when a request begins again at a clean place, reading is taken up
 * again.
 */
final class ProtocolDispatcher implements StreamReader {

    // Values of Row.PROTOCOL.
    private static final int UNDECIDED = 0;
    private static final int HTTP = 1;
    private static final int TLS = 2;
    private static final int ALTERNATION = 3;
    private static final int TUNNEL = 4;
    private static final int HTTP_2 = 5;
    /** Left HTTP/1, for what is not known yet. */
    private static final int SWITCHED = 6;

    private final OpenExchanges exchanges;
    private final HttpStream http;
    private final Http2Reader http2;
    private final TlsStream tls;
    private final DirectionChangeExchanges alternation;

    ProtocolDispatcher(OpenExchanges exchanges, ConnectionListener listener) {
        this.exchanges = exchanges;
        this.http = new HttpStream(exchanges);
        this.http2 = new Http2Reader(exchanges);
        this.alternation = new DirectionChangeExchanges(exchanges);
        this.tls = new TlsStream(exchanges, alternation, listener);
    }

    /** Places of the readers' own in use. */
    int used() {
        return tls.hellosUsed() + http2.used();
    }

    /** Whether an answer is missing that was asked for. */
    boolean isUnanswered(ConnectionRow row) {
        return row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2
                ? http2.isUnanswered(row)
                : exchanges.isUnanswered(row);
    }

    /** What was seen of TLS; to be called once, when the row is given back. */
    @Nullable
    TlsFacts drainTls(ConnectionRow row) {
        return tls.drain(row, row.byteAt(ConnectionRow.PROTOCOL) == TLS);
    }

    @Override
    public boolean isDeaf(ConnectionRow row) {
        return row.byteAt(ConnectionRow.PROTOCOL) == TUNNEL || row.is(ConnectionRow.SAID);
    }

    @Override
    public int indifferent(ConnectionRow row, boolean up) {
        return row.byteAt(ConnectionRow.PROTOCOL) == HTTP ? HttpStream.indifferent(row, up) : 0;
    }

    @Override
    public boolean counted(ConnectionRow row, int bytes, long micros) {
        return row.byteAt(ConnectionRow.PROTOCOL) == HTTP
                && !row.is(ConnectionRow.SAID)
                && http.counted(row, bytes, micros);
    }

    @Override
    public void read(ConnectionRow row, boolean up, StreamPiece piece) {
        if (isDeaf(row)) {
            return;
        }
        exchanges.reading(row, up, piece);
        int protocol = row.byteAt(ConnectionRow.PROTOCOL);
        if (up && protocol == UNDECIDED && !piece.hole) {
            protocol = piece.known > 0 ? recognise(row, piece) : ALTERNATION;
            set(row, protocol);
            if (protocol == HTTP_2 && !http2.begin(row, false)) {
                protocol = ALTERNATION;
                set(row, ALTERNATION);
            }
        } else if (up
                && protocol == ALTERNATION
                && row.is(ConnectionRow.MAY_RESUME)
                && mayResume(row, piece)) {
            while (OpenExchanges.answering(row) != OpenExchanges.NONE) {
                exchanges.end(row, piece.firstMicros);
            }
            protocol = HTTP;
            set(row, HTTP);
        }
        if (protocol == SWITCHED && up && !piece.hole) {
            protocol = Http2Reader.begins(piece) && http2.begin(row, true) ? HTTP_2 : TUNNEL;
            row.setByte(ConnectionRow.PROTOCOL, protocol);
        }
        if (protocol == HTTP || protocol == TLS || protocol == HTTP_2) {
            ReadResult result = reader(row, protocol, up, piece);
            if (result == ReadResult.READ) {
                return;
            }
            if (protocol == HTTP) {
                row.mark(ConnectionRow.MAY_RESUME);
            }
            if (protocol == HTTP_2) {
                http2.closed(row, piece.lastMicros);
            }
            protocol = result == ReadResult.TUNNEL ? SWITCHED : ALTERNATION;
            set(row, protocol);
        }
        if (protocol == ALTERNATION && !piece.hole) {
            if (up) {
                alternation.up(row, piece.lastMicros);
            } else {
                alternation.down(row, piece);
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

    private ReadResult reader(ConnectionRow row, int protocol, boolean up, StreamPiece piece) {
        return switch (protocol) {
            case HTTP -> http.read(row, up, piece);
            case TLS -> tls.read(row, up, piece);
            default -> http2.read(row, up, piece);
        };
    }

    private static void set(ConnectionRow row, int protocol) {
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
        return ALTERNATION;
    }

    private boolean mayResume(ConnectionRow row, StreamPiece piece) {
        return piece.known > 0 && alternation.turns(row) && HttpStream.begins(piece);
    }

    /** The server closed first and had received everything before {@code acknowledged}. */
    void serverCloses(ConnectionRow row, int acknowledged) {
        if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2) {
            http2.serverCloses(row, acknowledged);
            return;
        }
        for (int each = OpenExchanges.answering(row);
                each != OpenExchanges.NONE;
                each = exchanges.next(each)) {
            exchanges.misses().close(each, acknowledged);
        }
    }

    /** The server will send no more, and everything it sent was read. */
    void downEnded(ConnectionRow row, long micros) {
        if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP) {
            http.ended(row, micros);
        } else if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2) {
            http2.downEnded(row, micros);
            return;
        }
        for (int each = OpenExchanges.answering(row);
                each != OpenExchanges.NONE;
                each = exchanges.next(each)) {
            exchanges.misses().closed(row, each, micros);
        }
    }

    /** The connection is over: so is what was under way. */
    void closed(ConnectionRow row, long micros) {
        if (row.byteAt(ConnectionRow.PROTOCOL) == TLS) {
            tls.closed(row, micros);
        } else if (row.byteAt(ConnectionRow.PROTOCOL) == HTTP_2) {
            http2.closed(row, micros);
        }
        while (OpenExchanges.answering(row) != OpenExchanges.NONE) {
            exchanges.end(row, micros);
        }
        row.mark(ConnectionRow.SAID);
    }
}
