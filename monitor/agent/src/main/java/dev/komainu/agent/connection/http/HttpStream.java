package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.ReadResult;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.SequenceNumbers;
import dev.komainu.agent.connection.tcp.StreamPiece;
import java.lang.foreign.MemorySegment;

/**
 * Reader of one direction of an HTTP/1 connection, byte by byte (RFC 9112). It keeps only a few
 * numbers in the connection's row: heads are matched as they pass, bodies are only counted. The
 * state is loaded from the row for each piece and saved back.
 *
 * <p>Bytes may also be unknown: cut off by a snaplen or lost by the capture. Inside a body that
 * does not matter; anywhere else reading ends with {@link ReadResult#LOST}.
 */
public final class HttpStream {

    private static final int LOST = -1;

    private final HttpMessage message = new HttpMessage();
    private final HttpPairing pairing;
    private final HttpStartLine startLine;
    private final HttpFields fields;
    private final HttpBody body;
    /** A copy of a part of a head: array elements are cheaper to read than foreign memory. */
    private final byte[] window = new byte[1_024];

    private final MemorySegment windowSegment = MemorySegment.ofArray(window);
    /** Reason for which {@link #head} stopped. */
    private ReadResult lost = ReadResult.READ;

    public HttpStream(OpenExchanges exchanges) {
        pairing = new HttpPairing(message, exchanges);
        startLine = new HttpStartLine(message, pairing, exchanges);
        fields = new HttpFields(message);
        body = new HttpBody(message, pairing, exchanges);
    }

    /** Reports whether the piece seems to begin a request. */
    public static boolean begins(StreamPiece piece) {
        return HttpStartLine.beginsRequest(piece);
    }

    /** Returns how many of the next bytes belong to a body, which is only counted. */
    public static int skippable(ConnectionRow row, boolean up) {
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        int phase = row.byteAt(side + ConnectionRow.PHASE);
        return phase == HttpMessage.TO_CLOSE
                ? SequenceNumbers.FARTHEST
                : phase == HttpMessage.BODY || phase == HttpMessage.CHUNK_DATA
                        ? (int) Math.min(
                                SequenceNumbers.FARTHEST, row.longAt(side + ConnectionRow.NUMBER))
                        : 0;
    }

    /** Reads the next bytes of the stream in order. */
    public ReadResult read(ConnectionRow row, boolean up, StreamPiece piece) {
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        message.load(row, side);
        if (!piece.hole) {
            pairing.touch(row, up, piece.lastMicros);
        }
        ReadResult result = known(
                row, up, piece.memory, piece.offset, piece.offset + piece.known, piece.lastMicros);
        if (result == ReadResult.READ && piece.unknown > 0) {
            result = unknown(row, up, piece.unknown, piece.lastMicros);
        }
        message.save(row, side);
        return result;
    }

    /**
     * Counts the next bytes of a response's body, when they neither begin nor end it; else changes
     * nothing and returns false.
     */
    public boolean counted(ConnectionRow row, int bytes, long micros) {
        int word = row.intAt(ConnectionRow.DOWN + ConnectionRow.PHASE);
        long left = row.longAt(ConnectionRow.DOWN + ConnectionRow.NUMBER) - bytes;
        if ((byte) word != HttpMessage.BODY || left <= 0) {
            return false;
        }
        row.setLong(ConnectionRow.DOWN + ConnectionRow.NUMBER, left);
        int exchange = OpenExchanges.oldest(row);
        if ((word >> 24 & HttpMessage.HAS_EXCHANGE) != 0 && exchange != OpenExchanges.NONE) {
            pairing.more(exchange, micros);
        }
        return true;
    }

    /** Handles the end of the server's stream: a response that runs to the close is over. */
    public void ended(ConnectionRow row, long micros) {
        pairing.ended(row, micros);
    }

    private ReadResult known(
            ConnectionRow row, boolean up, MemorySegment m, long from, long end, long micros) {
        long at = from;
        while (at < end) {
            if (body.counts()) {
                long here = Math.min(message.number, end - at);
                at += here;
                body.count(row, up, here, micros);
                continue;
            }
            if (message.phase == HttpMessage.TO_CLOSE) {
                return ReadResult.READ;
            }
            int length = (int) Math.min(end - at, window.length);
            MemorySegment.copy(m, at, windowSegment, 0, length);
            int read = head(row, up, length, micros);
            if (read == LOST) {
                return lost;
            }
            at += read;
        }
        return ReadResult.READ;
    }

    /** Reads the window until a body begins; returns the number of bytes read, or {@link #LOST}. */
    private int head(ConnectionRow row, boolean up, int length, long micros) {
        int at = 0;
        while (at < length) {
            if (message.phase == HttpMessage.SKIP_LINE) {
                // Most bytes of most heads.
                at = lineEnd(at, length);
                if (at == length) {
                    return length;
                }
                at++;
                message.phase = HttpMessage.LINE;
                continue;
            }
            if (message.phase == HttpMessage.START && window[at] != '\r' && window[at] != '\n') {
                pairing.begin(row, up, micros);
            }
            int run = message.phase == HttpMessage.LINE
                    ? fields.run(window, at, length)
                    : startLine.run(row, up, window, at, length);
            if (run > 0) {
                at += run;
                continue;
            }
            ReadResult result = readByte(row, up, window[at++] & 0xff, micros);
            if (result != ReadResult.READ) {
                lost = result;
                return LOST;
            }
            if (message.phase >= HttpMessage.BODY
                    && (body.counts() || message.phase == HttpMessage.TO_CLOSE)) {
                return at;
            }
        }
        return length;
    }

    private int lineEnd(int from, int length) {
        int at = from;
        while (at < length && window[at] != '\n') {
            at++;
        }
        return at;
    }

    private ReadResult unknown(ConnectionRow row, boolean up, long bytes, long micros) {
        if (message.phase == HttpMessage.TO_CLOSE) {
            return ReadResult.READ;
        }
        if (!body.counts() || bytes > message.number) {
            return ReadResult.LOST;
        }
        body.count(row, up, bytes, micros);
        return ReadResult.READ;
    }

    /** Reads one byte of a head or of a chunk's frame. */
    private ReadResult readByte(ConnectionRow row, boolean up, int b, long micros) {
        switch (message.phase) {
            case HttpMessage.START -> {
                // An empty line before the message (RFC 9112 2.2).
                return ReadResult.READ;
            }
            case HttpMessage.FIRST_WORD -> {
                return startLine.firstWord(row, up, b);
            }
            case HttpMessage.SECOND_WORD -> {
                return startLine.secondWord(row, up, b, micros);
            }
            case HttpMessage.LINE -> {
                if (b == '\n') {
                    return body.headEnd(row, up, micros);
                }
                if (b != '\r') {
                    fields.begin(b);
                }
            }
            case HttpMessage.NAME -> {
                if (fields.name(b)) {
                    pairing.retryAfter(row);
                }
            }
            case HttpMessage.LENGTH_VALUE -> fields.length(b);
            case HttpMessage.CODING_VALUE -> fields.coding(b);
            case HttpMessage.CHUNK_SIZE -> {
                return body.chunkSize(b);
            }
            case HttpMessage.CHUNK_EXTENSION -> body.chunkExtension(b);
            case HttpMessage.CHUNK_END -> {
                return body.chunkEnd(b);
            }
            case HttpMessage.TRAILER -> body.trailer(row, up, b, micros);
            case HttpMessage.TRAILER_LINE -> body.trailerLine(b);
            default -> {
                return ReadResult.LOST;
            }
        }
        return ReadResult.READ;
    }
}
