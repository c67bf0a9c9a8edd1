package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.ReadResult;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.StreamPiece;
import java.lang.foreign.ValueLayout;

/**
 * Reader of the first line of a message, byte by byte (RFC 9112 3 and 4). Its values go to the
 * message's exchange.
 */
final class HttpStartLine {

    private static final String VERSION = "HTTP/1.";
    /** Offset of the status in {@code HTTP/1.1 200}. */
    private static final int STATUS_AT = 9;

    private static final byte[] SPACE = {' '};
    private static final long METHOD_HEAD = pack("HEAD");
    private static final long METHOD_CONNECT = pack("CONNECT");
    private static final long METHOD_PRI = pack("PRI");

    private final HttpMessage message;
    private final HttpPairing pairing;
    private final OpenExchanges exchanges;

    HttpStartLine(HttpMessage message, HttpPairing pairing, OpenExchanges exchanges) {
        this.message = message;
        this.pairing = pairing;
        this.exchanges = exchanges;
    }

    private static long pack(String method) {
        long packed = 0;
        for (int i = 0; i < method.length(); i++) {
            packed = packed << 8 | method.charAt(i);
        }
        return packed;
    }

    /**
     * Reports whether the piece seems to begin a request: a method, a space, and a valid first
     * character of a target.
     */
    static boolean beginsRequest(StreamPiece piece) {
        int length = Math.min(piece.known - 1, OpenExchanges.LONGEST_METHOD + 1);
        for (int at = 0; at < length; at++) {
            int b = piece.memory.get(ValueLayout.JAVA_BYTE, piece.offset + at);
            if (b == ' ') {
                int next = piece.memory.get(ValueLayout.JAVA_BYTE, piece.offset + at + 1);
                return at > 0 && next > ' ';
            }
            if (b < 'A' || b > 'Z') {
                return false;
            }
        }
        return false;
    }

    /**
     * Reads as many bytes as possible at once: of a target up to its next delimiter, of a status
     * line up to its status. Returns the number of bytes read; the others are for
     * {@link #firstWord} and {@link #secondWord}.
     */
    int run(ConnectionRow row, boolean up, byte[] bytes, int from, int end) {
        if (up) {
            return message.phase == HttpMessage.SECOND_WORD
                    ? targetRun(row, bytes, from, end)
                    : message.phase == HttpMessage.FIRST_WORD && message.matched == 0
                            ? methodRun(row, bytes, from, end)
                            : 0;
        }
        return message.phase == HttpMessage.FIRST_WORD
                        && message.matched == 0
                        && end - from >= STATUS_AT + 3
                ? statusRun(bytes, from)
                : 0;
    }

    /** Reads a method of few letters and the space after it, when both are present. */
    private int methodRun(ConnectionRow row, byte[] bytes, int from, int end) {
        int at = from;
        int last = Math.min(end, from + Long.BYTES);
        long packed = 0;
        while (at < last && bytes[at] >= 'A' && bytes[at] <= 'Z') {
            packed = packed << 8 | bytes[at++];
        }
        if (at == from || at == last || bytes[at] != ' ' || packed == METHOD_PRI) {
            return 0;
        }
        message.number = packed;
        methodEnds(pairing.current(row, true), bytes, from, at + 1 - from);
        return at + 1 - from;
    }

    /**
     * Ends the method.
     *
     * @param length number of characters still to be kept, including the space
     */
    private void methodEnds(int exchange, byte[] bytes, int from, int length) {
        if (exchange != OpenExchanges.NONE) {
            exchanges.append(exchange, bytes, from, length);
            exchanges.mark(
                    exchange,
                    OpenExchanges.HAS_METHOD
                            | (message.number == METHOD_HEAD ? OpenExchanges.IS_HEAD : 0)
                            | (message.number == METHOD_CONNECT ? OpenExchanges.IS_CONNECT : 0));
        }
        message.phase = HttpMessage.SECOND_WORD;
        message.matched = 0;
        message.names = 0;
    }

    private int targetRun(ConnectionRow row, byte[] bytes, int from, int end) {
        int at = from;
        while (at < end
                && bytes[at] > ' '
                && bytes[at] < 0x7f
                && bytes[at] != '?'
                && bytes[at] != '#') {
            at++;
        }
        int exchange = pairing.current(row, true);
        if (at > from
                && message.names == 0
                && exchange != OpenExchanges.NONE
                && exchanges.keepsTargets()) {
            exchanges.append(exchange, bytes, from, at - from);
        }
        return at - from;
    }

    /** Reads {@code HTTP/1.x nnn}. */
    private int statusRun(byte[] bytes, int from) {
        for (int at = 0; at < VERSION.length(); at++) {
            if (bytes[from + at] != VERSION.charAt(at)) {
                return 0;
            }
        }
        if (bytes[from + STATUS_AT - 1] != ' ' || bytes[from + STATUS_AT - 2] == ' ') {
            return 0;
        }
        int status = 0;
        for (int at = STATUS_AT; at < STATUS_AT + 3; at++) {
            int digit = bytes[from + at] - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            status = status * 10 + digit;
        }
        message.phase = HttpMessage.SECOND_WORD;
        message.matched = 3;
        message.number = status;
        return STATUS_AT + 3;
    }

    ReadResult firstWord(ConnectionRow row, boolean up, int b) {
        return up ? method(row, b) : version(b);
    }

    ReadResult secondWord(ConnectionRow row, boolean up, int b, long micros) {
        return up ? target(row, b) : status(row, b, micros);
    }

    /**
     * Reads a character of the method. RFC 9110 5.6.2 allows more characters, but no method in use
     * has them.
     */
    private ReadResult method(ConnectionRow row, int b) {
        int exchange = pairing.current(row, true);
        if (b == ' ' && message.matched > 0) {
            if (message.number == METHOD_PRI) {
                return ReadResult.LOST;
            }
            methodEnds(exchange, SPACE, 0, 1);
            return ReadResult.READ;
        }
        boolean letter = (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z') || b == '-' || b == '_';
        if (!letter || message.matched == OpenExchanges.LONGEST_METHOD) {
            return ReadResult.LOST;
        }
        message.number = message.number << 8 | b;
        message.matched++;
        if (exchange != OpenExchanges.NONE) {
            exchanges.append(exchange, b);
        }
        return ReadResult.READ;
    }

    /**
     * Reads a character of the target. Keeps the path; the query may hold private data and is not
     * kept.
     */
    private ReadResult target(ConnectionRow row, int b) {
        int exchange = pairing.current(row, true);
        if (b == ' ' || b == '\r' || b == '\n') {
            if (exchange != OpenExchanges.NONE) {
                exchanges.mark(exchange, OpenExchanges.HAS_TARGET);
            }
            message.phase = b == '\n' ? HttpMessage.LINE : HttpMessage.SKIP_LINE;
            message.number = 0;
        } else if (b < ' ' || b == 0x7f) {
            return ReadResult.LOST;
        } else if (b == '?' || b == '#') {
            message.names = 1;
        } else if (message.names == 0
                && exchange != OpenExchanges.NONE
                && exchanges.keepsTargets()) {
            exchanges.append(exchange, b);
        }
        return ReadResult.READ;
    }

    private ReadResult version(int b) {
        if (message.matched < VERSION.length()) {
            if (b != VERSION.charAt(message.matched)) {
                return ReadResult.LOST;
            }
            message.matched++;
        } else if (b == ' ') {
            message.phase = HttpMessage.SECOND_WORD;
            message.matched = 0;
            message.number = 0;
        }
        return ReadResult.READ;
    }

    private ReadResult status(ConnectionRow row, int b, long micros) {
        if (b >= '0' && b <= '9' && message.matched < 3) {
            message.number = message.number * 10 + b - '0';
            message.matched++;
            return ReadResult.READ;
        }
        if (message.matched != 3 || message.number < 100) {
            return ReadResult.LOST;
        }
        int status = (int) message.number;
        message.number = 0;
        message.marks |= status == 101
                ? HttpMessage.SWITCHING
                : status < 200
                        ? HttpMessage.INTERIM
                        : status == 204 || status == 304
                                ? HttpMessage.NO_BODY
                                : status < 300 ? HttpMessage.SUCCESS : 0;
        if (status == 503) {
            message.marks |= HttpMessage.UNAVAILABLE;
        }
        int exchange = pairing.current(row, false);
        if (exchange != OpenExchanges.NONE && (message.marks & HttpMessage.INTERIM) == 0) {
            exchanges.answered(row, exchange, status, micros);
        }
        message.phase = b == '\n' ? HttpMessage.LINE : HttpMessage.SKIP_LINE;
        return ReadResult.READ;
    }
}
