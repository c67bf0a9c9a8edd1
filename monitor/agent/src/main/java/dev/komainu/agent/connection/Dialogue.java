package dev.komainu.agent.connection;

import dev.komainu.agent.packet.TcpSegment;
import dev.komainu.telemetry.record.TlsFacts;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * What the two sides say to each other: decides from the client's first bytes how to read a connection, and hands each
 * segment's new bytes to that reader. When a reader loses the thread, directions alternate instead; when a request begins
 * again at a clean place, reading is taken up again.
 */
final class Dialogue {

    // Values of Row.PROTOCOL.
    private static final int UNDECIDED = 0;
    private static final int HTTP = 1;
    private static final int TLS = 2;
    private static final int ALTERNATION = 3;
    private static final int TUNNEL = 4;

    private final Exchanges exchanges;
    private final HttpStream http;
    private final TlsStream tls;
    private final Alternation alternation;

    Dialogue(Exchanges exchanges) {
        this.exchanges = exchanges;
        this.http = new HttpStream(exchanges);
        this.alternation = new Alternation(exchanges);
        this.tls = new TlsStream(exchanges, alternation);
    }

    int hellosUsed() {
        return tls.hellosUsed();
    }

    /** What was seen of TLS; to be called once, when the row is given back. */
    @Nullable
    TlsFacts drainTls(Row row) {
        return tls.drain(row, row.byteAt(Row.PROTOCOL) == TLS);
    }

    /**
     * A segment with payload, or one that moved the place up to which the stream has no holes.
     *
     * @param s its payload is looked at; not kept
     * @param payloadFrom sequence number of its first payload byte
     * @param readFrom where the stream had been read to
     * @param readTo to where it can be read now; holes given up lie between and are unknown bytes
     * @param fresh whether the segment brought payload not seen before
     */
    void data(Row row, boolean up, TcpSegment s, int payloadFrom, int readFrom, int readTo, boolean fresh) {
        int protocol = row.byteAt(Row.PROTOCOL);
        if (protocol == TUNNEL) {
            return;
        }
        boolean inOrder = fresh && payloadFrom == readFrom && s.payloadCaptured > 0;
        if (up && protocol == UNDECIDED && fresh) {
            protocol = inOrder ? recognise(row, s) : ALTERNATION;
            set(row, protocol);
        } else if (up
                && protocol == ALTERNATION
                && inOrder
                && row.is(Row.MAY_RESUME)
                && alternation.turns(row)
                && recognise(row, s) == HTTP) {
            if (Exchanges.answering(row) != Exchanges.NONE) {
                exchanges.end(row, s.micros);
            }
            protocol = HTTP;
            set(row, HTTP);
        }
        if (protocol == HTTP || protocol == TLS) {
            protocol = read(row, up, protocol, s, payloadFrom, readFrom, readTo);
        }
        if (protocol == ALTERNATION && fresh) {
            if (up) {
                alternation.up(row, s.micros);
            } else {
                alternation.down(row, s);
            }
        }
    }

    private int read(Row row, boolean up, int protocol, TcpSegment s, int payloadFrom, int readFrom, int readTo) {
        int length = readTo - readFrom;
        if (length <= 0) {
            return protocol;
        }
        int into = readFrom - payloadFrom;
        boolean covers = into >= 0 && into < s.payloadLength;
        int known = covers ? Math.clamp(s.payloadCaptured - into, 0, length) : 0;
        long offset = s.payloadOffset + Math.max(into, 0);
        HttpStream.Result result = protocol == HTTP
                ? http.read(row, up, s.memory, offset, known, length - known, s.micros)
                : tls.read(row, up, s.memory, offset, known, length - known, s.micros);
        if (result == HttpStream.Result.READ) {
            return protocol;
        }
        int next = result == HttpStream.Result.TUNNEL ? TUNNEL : ALTERNATION;
        set(row, next);
        if (protocol == HTTP) {
            row.mark(Row.MAY_RESUME);
        }
        return next;
    }

    private static void set(Row row, int protocol) {
        row.setByte(Row.PROTOCOL, protocol);
        if (protocol == HTTP || protocol == TLS) {
            HttpMessage.reset(row);
        }
    }

    private static int recognise(Row row, TcpSegment s) {
        int first = s.memory.get(ValueLayout.JAVA_BYTE, s.payloadOffset);
        if (first == 0x16) {
            return TLS;
        }
        if (first == 0x17 && s.payloadCaptured > 1 && s.memory.get(ValueLayout.JAVA_BYTE, s.payloadOffset + 1) == 3) {
            TlsExchanges.pickedUp(row);
            return TLS;
        }
        if (first >= 'A' && first <= 'Z') {
            return HTTP;
        }
        row.mark(Row.MAY_RESUME);
        return ALTERNATION;
    }

    /** The server will send no more, and everything it sent was read. */
    void downEnded(Row row, long micros) {
        if (row.byteAt(Row.PROTOCOL) == HTTP) {
            http.ended(row, micros);
        }
    }

    /** The connection is over: so is what was under way. */
    void closed(Row row, long micros) {
        if (row.byteAt(Row.PROTOCOL) == TLS) {
            tls.closed(row, micros);
        }
        while (Exchanges.answering(row) != Exchanges.NONE) {
            exchanges.end(row, micros);
        }
    }
}
