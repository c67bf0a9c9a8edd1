package dev.komainu.agent.connection;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads one direction of an HTTP/1 connection byte by byte and keeps nothing but a few numbers in the connection's row:
 * heads are matched as they pass, bodies are only counted (RFC 9112). Loaded from the row for each piece and saved back.
 *
 * <p>Bytes may also be unknown: cut off by a snaplen or lost by the capture. Inside a body that does not matter; anywhere
 * else reading ends with {@link Result#LOST}.
 */
final class HttpStream {

    /** How reading a piece went. */
    enum Result {
        READ,
        /** No HTTP/1, or a hole in a head. */
        LOST,
        /** What follows is no HTTP (101 or an answered CONNECT). */
        TUNNEL
    }

    // Phases.
    private static final int START = 0;
    private static final int FIRST_WORD = 1;
    private static final int SECOND_WORD = 2;
    private static final int SKIP_LINE = 3;
    private static final int LINE = 4;
    private static final int NAME = 5;
    private static final int LENGTH_VALUE = 6;
    private static final int CODING_VALUE = 7;
    private static final int BODY = 8;
    private static final int CHUNK_SIZE = 9;
    private static final int CHUNK_EXTENSION = 10;
    private static final int CHUNK_DATA = 11;
    private static final int CHUNK_END = 12;
    private static final int TRAILER = 13;
    private static final int TRAILER_LINE = 14;
    private static final int TO_CLOSE = 15;

    // Marks of the message now read.
    private static final int HAS_LENGTH = 1;
    private static final int CHUNKED = 1 << 1;
    private static final int HAS_EXCHANGE = 1 << 2;
    private static final int INTERIM = 1 << 3;
    private static final int NO_BODY = 1 << 4;
    private static final int SWITCHING = 1 << 5;
    private static final int SUCCESS = 1 << 6;

    private static final int LENGTH_NAME = 1;
    private static final int CODING_NAME = 2;
    private static final String CONTENT_LENGTH = "content-length";
    private static final String TRANSFER_ENCODING = "transfer-encoding";
    private static final String CHUNKED_CODING = "chunked";
    private static final String VERSION = "HTTP/1.";
    private static final long METHOD_HEAD = pack("HEAD");
    private static final long METHOD_CONNECT = pack("CONNECT");
    private static final long METHOD_PRI = pack("PRI");
    private static final long LONGEST_BODY = Long.MAX_VALUE / 64;

    private final Exchanges exchanges;

    // The state of the direction now read.
    private int phase;
    private int names;
    private int matched;
    private int marks;
    private long number;

    HttpStream(Exchanges exchanges) {
        this.exchanges = exchanges;
    }

    private static long pack(String method) {
        long packed = 0;
        for (int i = 0; i < method.length(); i++) {
            packed = packed << 8 | method.charAt(i);
        }
        return packed;
    }

    /** Makes both directions expect the beginning of a message. */
    static void reset(Row row) {
        for (int side : new int[] {Row.UP, Row.DOWN}) {
            row.setInt(side + Row.PHASE, 0);
            row.setLong(side + Row.NUMBER, 0);
        }
    }

    /**
     * Reads the next bytes of the stream in order.
     *
     * @param known how many of them lie in {@code memory} from {@code offset}
     * @param unknown how many follow that nobody saw
     */
    Result read(Row row, boolean up, MemorySegment memory, long offset, int known, long unknown, long micros) {
        int side = up ? Row.UP : Row.DOWN;
        phase = row.byteAt(side + Row.PHASE);
        names = row.byteAt(side + Row.NAMES);
        matched = row.byteAt(side + Row.MATCHED) & 0xff;
        marks = row.byteAt(side + Row.MARKS);
        number = row.longAt(side + Row.NUMBER);
        touch(row, up, micros);
        Result result = known(row, up, memory, offset, offset + known, micros);
        if (result == Result.READ && unknown > 0) {
            result = unknown(row, up, unknown, micros);
        }
        row.setByte(side + Row.PHASE, phase);
        row.setByte(side + Row.NAMES, names);
        row.setByte(side + Row.MATCHED, matched);
        row.setByte(side + Row.MARKS, marks);
        row.setLong(side + Row.NUMBER, number);
        return result;
    }

    /** The stream of the server ended: an answer that runs to the close is over. */
    void ended(Row row, long micros) {
        if (row.byteAt(Row.DOWN + Row.PHASE) == TO_CLOSE) {
            row.setByte(Row.DOWN + Row.PHASE, START);
            if ((row.byteAt(Row.DOWN + Row.MARKS) & HAS_EXCHANGE) != 0 && Exchanges.answering(row) != Exchanges.NONE) {
                exchanges.end(row, micros);
            }
        }
    }

    private void touch(Row row, boolean up, long micros) {
        if (phase == START || (marks & HAS_EXCHANGE) == 0) {
            return;
        }
        int exchange = up ? Exchanges.newest(row) : Exchanges.answering(row);
        if (exchange == Exchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.requestAt(exchange, micros);
        } else {
            exchanges.answerAt(exchange, micros);
        }
    }

    private Result known(Row row, boolean up, MemorySegment m, long from, long end, long micros) {
        long at = from;
        while (at < end) {
            if (phase == BODY || phase == CHUNK_DATA) {
                long here = Math.min(number, end - at);
                at += here;
                number -= here;
                if (number == 0) {
                    if (phase == BODY) {
                        complete(row, up, micros);
                    } else {
                        phase = CHUNK_END;
                    }
                }
                continue;
            }
            if (phase == TO_CLOSE) {
                return Result.READ;
            }
            if (phase == SKIP_LINE) {
                // Most bytes of most heads.
                while (at < end && m.get(ValueLayout.JAVA_BYTE, at) != '\n') {
                    at++;
                }
                if (at < end) {
                    at++;
                    phase = LINE;
                }
                continue;
            }
            Result result = one(row, up, m.get(ValueLayout.JAVA_BYTE, at++) & 0xff, micros);
            if (result != Result.READ) {
                return result;
            }
        }
        return Result.READ;
    }

    private Result unknown(Row row, boolean up, long bytes, long micros) {
        if (phase == TO_CLOSE) {
            return Result.READ;
        }
        if (phase != BODY && phase != CHUNK_DATA || bytes > number) {
            return Result.LOST;
        }
        number -= bytes;
        if (number == 0) {
            if (phase == BODY) {
                complete(row, up, micros);
            } else {
                phase = CHUNK_END;
            }
        }
        return Result.READ;
    }

    /** One byte of a head or of a chunk's frame. */
    private Result one(Row row, boolean up, int b, long micros) {
        switch (phase) {
            case START -> {
                if (b == '\r' || b == '\n') {
                    return Result.READ;
                }
                begin(row, up, micros);
                return up ? method(row, b) : version(b);
            }
            case FIRST_WORD -> {
                return up ? method(row, b) : version(b);
            }
            case SECOND_WORD -> {
                return up ? target(row, b) : status(row, b, micros);
            }
            case LINE -> {
                if (b == '\n') {
                    return headEnd(row, up, micros);
                }
                if (b != '\r') {
                    names = LENGTH_NAME | CODING_NAME;
                    matched = 0;
                    phase = NAME;
                    name(b);
                }
            }
            case NAME -> name(b);
            case LENGTH_VALUE -> {
                if (b >= '0' && b <= '9') {
                    number = number > LONGEST_BODY ? number : number * 10 + b - '0';
                    marks |= HAS_LENGTH;
                } else if (b == '\n') {
                    phase = LINE;
                }
            }
            case CODING_VALUE -> coding(b);
            case CHUNK_SIZE -> {
                return chunkSize(b);
            }
            case CHUNK_EXTENSION -> {
                if (b == '\n') {
                    chunkBegins();
                }
            }
            case CHUNK_END -> {
                if (b == '\n') {
                    phase = CHUNK_SIZE;
                    number = 0;
                    matched = 0;
                } else if (b != '\r') {
                    return Result.LOST;
                }
            }
            case TRAILER -> {
                if (b == '\n') {
                    complete(row, up, micros);
                } else if (b != '\r') {
                    phase = TRAILER_LINE;
                }
            }
            case TRAILER_LINE -> {
                if (b == '\n') {
                    phase = TRAILER;
                }
            }
            default -> {
                return Result.LOST;
            }
        }
        return Result.READ;
    }

    private void begin(Row row, boolean up, long micros) {
        phase = FIRST_WORD;
        marks = 0;
        matched = 0;
        number = 0;
        int exchange = up ? exchanges.begin(row, micros) : Exchanges.answering(row);
        if (exchange != Exchanges.NONE) {
            marks |= HAS_EXCHANGE;
            if (!up) {
                exchanges.answerAt(exchange, micros);
            }
        }
    }

    private int current(Row row, boolean up) {
        return (marks & HAS_EXCHANGE) == 0 ? Exchanges.NONE : up ? Exchanges.newest(row) : Exchanges.answering(row);
    }

    /** RFC 9110 5.6.2 allows more in a method, but no method in use has it. */
    private Result method(Row row, int b) {
        int exchange = current(row, true);
        if (b == ' ' && matched > 0) {
            if (number == METHOD_PRI) {
                return Result.LOST;
            }
            if (exchange != Exchanges.NONE) {
                exchanges.append(exchange, ' ');
                exchanges.mark(
                        exchange,
                        Exchanges.HAS_METHOD
                                | (number == METHOD_HEAD ? Exchanges.IS_HEAD : 0)
                                | (number == METHOD_CONNECT ? Exchanges.IS_CONNECT : 0));
            }
            phase = SECOND_WORD;
            matched = 0;
            names = 0;
            return Result.READ;
        }
        boolean letter = b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b == '-' || b == '_';
        if (!letter || matched == Exchanges.LONGEST_METHOD) {
            return Result.LOST;
        }
        number = number << 8 | b;
        matched++;
        if (exchange != Exchanges.NONE) {
            exchanges.append(exchange, b);
        }
        return Result.READ;
    }

    /** Keeps the path; the query may hold what is nobody's business. */
    private Result target(Row row, int b) {
        int exchange = current(row, true);
        if (b == ' ' || b == '\r' || b == '\n') {
            if (exchange != Exchanges.NONE) {
                exchanges.mark(exchange, Exchanges.HAS_TARGET);
            }
            phase = b == '\n' ? LINE : SKIP_LINE;
            number = 0;
        } else if (b < ' ' || b == 0x7f) {
            return Result.LOST;
        } else if (b == '?' || b == '#') {
            names = 1;
        } else if (names == 0 && exchange != Exchanges.NONE) {
            exchanges.append(exchange, b);
        }
        return Result.READ;
    }

    private Result version(int b) {
        if (matched < VERSION.length()) {
            if (b != VERSION.charAt(matched)) {
                return Result.LOST;
            }
            matched++;
        } else if (b == ' ') {
            phase = SECOND_WORD;
            matched = 0;
            number = 0;
        }
        return Result.READ;
    }

    private Result status(Row row, int b, long micros) {
        if (b >= '0' && b <= '9' && matched < 3) {
            number = number * 10 + b - '0';
            matched++;
            return Result.READ;
        }
        if (matched != 3 || number < 100) {
            return Result.LOST;
        }
        int status = (int) number;
        number = 0;
        marks |= status == 101
                ? SWITCHING
                : status < 200 ? INTERIM : status == 204 || status == 304 ? NO_BODY : status < 300 ? SUCCESS : 0;
        int exchange = current(row, false);
        if (exchange != Exchanges.NONE && (marks & INTERIM) == 0) {
            exchanges.answered(row, exchange, status, micros);
        }
        phase = b == '\n' ? LINE : SKIP_LINE;
        return Result.READ;
    }

    private void name(int b) {
        if (b == ':') {
            boolean length = (names & LENGTH_NAME) != 0 && matched == CONTENT_LENGTH.length();
            boolean coding = (names & CODING_NAME) != 0 && matched == TRANSFER_ENCODING.length();
            phase = length ? LENGTH_VALUE : coding ? CODING_VALUE : SKIP_LINE;
            number = length ? 0 : number;
            matched = 0;
        } else if (b == '\n') {
            phase = LINE;
        } else {
            int lower = b >= 'A' && b <= 'Z' ? b + 32 : b;
            if (matched >= CONTENT_LENGTH.length() || CONTENT_LENGTH.charAt(matched) != lower) {
                names &= ~LENGTH_NAME;
            }
            if (matched >= TRANSFER_ENCODING.length() || TRANSFER_ENCODING.charAt(matched) != lower) {
                names &= ~CODING_NAME;
            }
            matched++;
            if (names == 0) {
                phase = SKIP_LINE;
            }
        }
    }

    private void coding(int b) {
        int lower = b >= 'A' && b <= 'Z' ? b + 32 : b;
        if (b == '\n') {
            phase = LINE;
        } else if (matched < CHUNKED_CODING.length()) {
            matched = lower == CHUNKED_CODING.charAt(matched) ? matched + 1 : lower == 'c' ? 1 : 0;
            if (matched == CHUNKED_CODING.length()) {
                marks |= CHUNKED;
            }
        }
    }

    private Result chunkSize(int b) {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            if (number > LONGEST_BODY / 16) {
                return Result.LOST;
            }
            number = number * 16 + digit;
            matched = 1;
            return Result.READ;
        }
        if (matched == 0) {
            return Result.LOST;
        }
        if (b == '\n') {
            chunkBegins();
        } else {
            phase = CHUNK_EXTENSION;
        }
        return Result.READ;
    }

    private void chunkBegins() {
        phase = number == 0 ? TRAILER : CHUNK_DATA;
    }

    private Result headEnd(Row row, boolean up, long micros) {
        if (!up) {
            int exchange = current(row, false);
            if ((marks & INTERIM) != 0) {
                if (exchange != Exchanges.NONE) {
                    exchanges.interim(exchange);
                }
                phase = START;
                return Result.READ;
            }
            boolean connect = exchange != Exchanges.NONE && exchanges.is(exchange, Exchanges.IS_CONNECT);
            if ((marks & SWITCHING) != 0 || connect && (marks & SUCCESS) != 0) {
                complete(row, false, micros);
                return Result.TUNNEL;
            }
            boolean head = exchange != Exchanges.NONE && exchanges.is(exchange, Exchanges.IS_HEAD);
            if (head || (marks & NO_BODY) != 0) {
                complete(row, false, micros);
                return Result.READ;
            }
        }
        // Both given: the coding wins (RFC 9112 6.3).
        if ((marks & CHUNKED) != 0) {
            phase = CHUNK_SIZE;
            number = 0;
            matched = 0;
        } else if ((marks & HAS_LENGTH) != 0 || up) {
            if (number == 0 || (marks & HAS_LENGTH) == 0) {
                complete(row, up, micros);
            } else {
                phase = BODY;
            }
        } else {
            phase = TO_CLOSE;
        }
        return Result.READ;
    }

    private void complete(Row row, boolean up, long micros) {
        int exchange = current(row, up);
        phase = START;
        if (exchange == Exchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.complete(row, exchange, micros);
        } else {
            if (exchange == Exchanges.newest(row) && !exchanges.is(exchange, Exchanges.COMPLETE)) {
                // Answered before the request was complete: what still comes of it belongs to no exchange.
                int upMarks = row.byteAt(Row.UP + Row.MARKS);
                row.setByte(Row.UP + Row.MARKS, upMarks & ~HAS_EXCHANGE);
            }
            exchanges.end(row, micros);
        }
    }
}
