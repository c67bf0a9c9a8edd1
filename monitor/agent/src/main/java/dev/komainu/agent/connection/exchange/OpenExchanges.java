package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.AnalyzerCounts;
import dev.komainu.agent.connection.tcp.BlockPool;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.RowSlab;
import dev.komainu.agent.connection.tcp.StreamPiece;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the open connections and the known parts of their responses. Each connection has
 * a list in order of arrival; its entries are rows in a shared slab. The text of a request line
 * lies in blocks of a second slab.
 *
 * <pre>
 *  exchange    0 request 8 | 8 first byte 8 | 16 last byte 8 | 24 next 4 | 28 text 4 | 32 last text block 4
 *             36 status 2 | 38 text length 2 | 40 marks 2
 *             42 bytes of the request behind its first segment, at most 65535, 2 | 44 request ends before sequence number 4
 *             48 acknowledged after 4, plus one
 *  text block  0 next 4 | 4 characters 28
 * </pre>
 *
 * References are kept as row number + 1, so that zero means none.
 */
public final class OpenExchanges {

    public static final int NONE = ConnectionRow.NO_EXCHANGE;

    private static final byte[] GET = {'G', 'E', 'T', ' '};
    private static final byte[] HEAD = {'H', 'E', 'A', 'D', ' '};

    /** The request is complete. */
    public static final int COMPLETE = 1;
    /** The final response began. */
    public static final int ANSWERED = 1 << 1;

    public static final int IS_HEAD = 1 << 2;
    public static final int IS_CONNECT = 1 << 3;
    /** The method is complete in the text. */
    public static final int HAS_METHOD = 1 << 4;
    /** The target is complete in the text. */
    public static final int HAS_TARGET = 1 << 5;

    /**
     * Some of the request was sent again, or not captured: no round trip may be measured across it
     * (Karn).
     */
    static final int REQUEST_IN_DOUBT = 1 << 6;
    /** The segment that began the response was sent again, or not captured. */
    static final int RESPONSE_IN_DOUBT = 1 << 7;

    /**
     * The response comes in its own time, not in the order of the list. The exchange joins the list
     * when it is over (HTTP/2).
     */
    static final int UNORDERED = 1 << 8;
    /** An {@link #UNORDERED} exchange that waits for its acknowledgement. */
    static final int AWAITS_ACKNOWLEDGEMENT = 1 << 9;

    /** The response carries Retry-After. */
    public static final int RETRY_AFTER = 1 << 10;
    /**
     * The server had received some of the request, and closed the connection before its response
     * began.
     */
    public static final int ABANDONED = 1 << 11;

    /** The end of the request's first segment is known. */
    static final int FIRST_END_KNOWN = 1 << 12;

    /** Longest method kept, in characters. */
    public static final int LONGEST_METHOD = 16;

    public static final int LONGEST_TARGET = 256;

    static final int ROW_BYTES = 52;
    static final int REQUEST = 0;
    private static final int FIRST_BYTE = 8;
    private static final int LAST_BYTE = 16;
    static final int NEXT = 24;
    private static final int TEXT = 28;
    private static final int LAST_BLOCK = 32;
    private static final int STATUS = 36;
    private static final int TEXT_LENGTH = 38;
    private static final int MARKS = 40;
    static final int GROWN = 42;
    static final int MOST_GROWN = 0xffff;
    static final int REQUEST_END = 44;
    static final int ACKNOWLEDGED_AFTER = 48;
    private static final int BLOCK_BYTES = 32;
    private static final int BLOCK_TEXT = BLOCK_BYTES - 4;

    private final RowSlab slab;
    private final BlockPool texts;
    private final PrivacyRules privacy;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts;
    private final Acknowledgements acknowledgements;
    // Of the piece that is being read.
    private int pieceEnd;
    private boolean pieceLate;
    private final byte[] one = new byte[1];
    /** The request line that {@link #read} converts; valid within that call. */
    private final byte[] line = new byte[LONGEST_METHOD + LONGEST_TARGET + 1];

    private final ClientFailures failures;

    public OpenExchanges(
            int cap, PrivacyRules privacy, ConnectionListener listener, AnalyzerCounts counts) {
        this.slab = new RowSlab(ROW_BYTES, cap);
        this.texts = new BlockPool(BLOCK_BYTES, (int) Math.min(Integer.MAX_VALUE, cap * 4L));
        this.privacy = privacy;
        this.listener = listener;
        this.counts = counts;
        this.acknowledgements = new Acknowledgements(this, slab, listener);
        this.failures = new ClientFailures(this, listener);
    }

    public Acknowledgements acknowledgements() {
        return acknowledgements;
    }

    /** Sets the piece that the next events of exchanges come from. */
    public void reading(ConnectionRow row, boolean up, StreamPiece piece) {
        pieceEnd = piece.end;
        pieceLate = piece.late;
        int newest = newest(row);
        if (up && piece.hole && newest != NONE && !is(newest, ANSWERED)) {
            mark(newest, REQUEST_IN_DOUBT);
        }
    }

    /** Returns the exchange rows in use. */
    public int used() {
        return slab.used();
    }

    /** Returns the text blocks in use. */
    public int textsUsed() {
        return texts.used();
    }

    /** Opens a request at the end of the connection's list; {@link #NONE} when there is no room. */
    public int begin(ConnectionRow row, long micros) {
        int number = slab.allocate();
        if (number == RowSlab.NONE) {
            counts.countForgottenExchange();
            return NONE;
        }
        int exchange = number + 1;
        slab.setLong(number, REQUEST, micros);
        int last = row.intAt(ConnectionRow.EXCHANGE_LAST);
        if (last == NONE) {
            row.setInt(ConnectionRow.EXCHANGE_FIRST, exchange);
        } else {
            slab.setInt(last - 1, NEXT, exchange);
        }
        row.setInt(ConnectionRow.EXCHANGE_LAST, exchange);
        if (row.intAt(ConnectionRow.EXCHANGE_OLDEST) == NONE) {
            row.setInt(ConnectionRow.EXCHANGE_OLDEST, exchange);
        }
        acknowledgements.sent(row, exchange, pieceEnd, pieceLate);
        return exchange;
    }

    /** Opens a request that is in no list; {@link #NONE} when there is no room. */
    public int beginUnordered(ConnectionRow row, long micros) {
        int number = slab.allocate();
        if (number == RowSlab.NONE) {
            counts.countForgottenExchange();
            return NONE;
        }
        slab.setLong(number, REQUEST, micros);
        mark(number + 1, UNORDERED);
        acknowledgements.sent(row, number + 1, pieceEnd, pieceLate);
        return number + 1;
    }

    /** Ends an {@link #UNORDERED} exchange: it joins the list, or is dropped. */
    public void endUnordered(ConnectionRow row, int exchange, long micros) {
        reportEnd(row, exchange, micros);
        acknowledgements.ended(row, exchange);
        if (row.intAt(ConnectionRow.EXCHANGES_KEPT) == ConnectionRecord.MAX_EXCHANGES) {
            row.add(ConnectionRow.EXCHANGES_LEFT_OUT, 1);
            free(exchange);
            return;
        }
        row.add(ConnectionRow.EXCHANGES_KEPT, 1);
        slab.setInt(exchange - 1, NEXT, NONE);
        int last = row.intAt(ConnectionRow.EXCHANGE_LAST);
        if (last == NONE) {
            row.setInt(ConnectionRow.EXCHANGE_FIRST, exchange);
        } else {
            slab.setInt(last - 1, NEXT, exchange);
        }
        row.setInt(ConnectionRow.EXCHANGE_LAST, exchange);
        row.setInt(ConnectionRow.EXCHANGE_LAST_KEPT, exchange);
    }

    /** Returns the oldest exchange whose response is not over, or {@link #NONE}. */
    public static int oldest(ConnectionRow row) {
        return row.intAt(ConnectionRow.EXCHANGE_OLDEST);
    }

    /** Returns the newest exchange that is not over, or {@link #NONE}. */
    public static int newest(ConnectionRow row) {
        return oldest(row) == NONE ? NONE : row.intAt(ConnectionRow.EXCHANGE_LAST);
    }

    public boolean is(int exchange, int mark) {
        return (slab.ushortAt(exchange - 1, MARKS) & mark) != 0;
    }

    /** Reports whether a requested response is missing. */
    public boolean isUnanswered(ConnectionRow row) {
        int exchange = oldest(row);
        return exchange != NONE && !is(exchange, ANSWERED);
    }

    public void mark(int exchange, int mark) {
        slab.setShort(exchange - 1, MARKS, slab.ushortAt(exchange - 1, MARKS) | mark);
    }

    void unmark(int exchange, int mark) {
        slab.setShort(exchange - 1, MARKS, slab.ushortAt(exchange - 1, MARKS) & ~mark);
    }

    /**
     * Adds a segment of the request; the last one to come counts. Once the response began, the
     * start of T_r no longer moves.
     */
    public void addRequest(ConnectionRow row, int exchange, long micros) {
        if (!is(exchange, ANSWERED)) {
            if (slab.longAt(exchange - 1, REQUEST) < micros) {
                slab.setLong(exchange - 1, REQUEST, micros);
            }
            acknowledgements.sent(row, exchange, pieceEnd, pieceLate);
        }
    }

    /** Returns the listener of failed exchanges. */
    public ClientFailures failures() {
        return failures;
    }

    /**
     * Returns the sequence number after the first segment of the request, or a later one where the
     * request is long.
     */
    int firstEnd(int exchange) {
        return requestEnd(exchange) - slab.ushortAt(exchange - 1, GROWN);
    }

    /** Returns the next exchange in the connection's list, or {@link #NONE}. */
    public int next(int exchange) {
        return slab.intAt(exchange - 1, NEXT);
    }

    /** Returns the sequence number after the last segment of the request. */
    public int requestEnd(int exchange) {
        return slab.intAt(exchange - 1, REQUEST_END);
    }

    /** Returns the instant of the request's last segment, microseconds since the epoch. */
    public long requestMicros(int exchange) {
        return slab.longAt(exchange - 1, REQUEST);
    }

    /** Returns the instant of the response's first byte; 0 before the response. */
    public long firstByteMicros(int exchange) {
        return slab.longAt(exchange - 1, FIRST_BYTE);
    }

    /**
     * Returns the instant of the response's last byte, microseconds since the epoch; 0 before the
     * response.
     */
    public long lastByteMicros(int exchange) {
        return slab.longAt(exchange - 1, LAST_BYTE);
    }

    /** Marks the request as complete. */
    public void complete(ConnectionRow row, int exchange, long micros) {
        if (!is(exchange, COMPLETE)) {
            mark(exchange, COMPLETE);
            listener.requested(row.service(), micros);
            acknowledgements.completed(row, exchange, micros);
        }
    }

    /**
     * Adds a part of the response. The segment that begins it (again after {@link #interim}) sets
     * the first byte, even if later ones overtook it; the last one to come sets the last byte.
     */
    public void addResponse(int exchange, long firstMicros, long lastMicros) {
        if (slab.longAt(exchange - 1, FIRST_BYTE) == 0) {
            slab.setLong(exchange - 1, FIRST_BYTE, firstMicros);
            if (pieceLate) {
                mark(exchange, RESPONSE_IN_DOUBT);
            }
        }
        if (slab.longAt(exchange - 1, LAST_BYTE) < lastMicros) {
            slab.setLong(exchange - 1, LAST_BYTE, lastMicros);
        }
    }

    /** Adds a part of the response's body, in order. */
    public void addBody(int exchange, long micros) {
        if (slab.longAt(exchange - 1, LAST_BYTE) < micros) {
            slab.setLong(exchange - 1, LAST_BYTE, micros);
        }
    }

    /** Handles an interim response (RFC 9110 15.2): the wait continues. */
    public void interim(int exchange) {
        slab.setLong(exchange - 1, FIRST_BYTE, 0);
        slab.setLong(exchange - 1, LAST_BYTE, 0);
        unmark(exchange, RESPONSE_IN_DOUBT);
    }

    /** Marks the response that began as the final one. */
    public void answered(ConnectionRow row, int exchange, int status, long micros) {
        if (status != 0) {
            slab.setShort(exchange - 1, STATUS, status);
        }
        if (is(exchange, ANSWERED)) {
            return;
        }
        complete(row, exchange, micros);
        mark(exchange, ANSWERED);
        long first = slab.longAt(exchange - 1, FIRST_BYTE);
        listener.responseStarted(
                row.service(),
                first,
                Math.max(0, first - slab.longAt(exchange - 1, REQUEST)),
                thinkMicros(row, exchange));
    }

    /** Returns T_r without the round trip to the server, in microseconds. */
    private long thinkMicros(ConnectionRow row, int exchange) {
        long roundTrip = row.serverRttMicros();
        if (roundTrip == ConnectionListener.ABSENT
                || is(exchange, REQUEST_IN_DOUBT | RESPONSE_IN_DOUBT)) {
            return ConnectionListener.ABSENT;
        }
        long response = slab.longAt(exchange - 1, FIRST_BYTE) - slab.longAt(exchange - 1, REQUEST);
        return Math.max(0, response - roundTrip);
    }

    /**
     * Ends the oldest exchange, with or without a response. Beyond the number a record keeps, the
     * exchange is dropped.
     */
    public void end(ConnectionRow row, long micros) {
        int exchange = oldest(row);
        reportEnd(row, exchange, micros);
        int next = slab.intAt(exchange - 1, NEXT);
        row.setInt(ConnectionRow.EXCHANGE_OLDEST, next);
        acknowledgements.ended(row, exchange);
        if (row.intAt(ConnectionRow.EXCHANGES_KEPT) < ConnectionRecord.MAX_EXCHANGES) {
            row.add(ConnectionRow.EXCHANGES_KEPT, 1);
            row.setInt(ConnectionRow.EXCHANGE_LAST_KEPT, exchange);
            return;
        }
        row.add(ConnectionRow.EXCHANGES_LEFT_OUT, 1);
        int lastKept = row.intAt(ConnectionRow.EXCHANGE_LAST_KEPT);
        slab.setInt(lastKept - 1, NEXT, next);
        if (next == NONE) {
            row.setInt(ConnectionRow.EXCHANGE_LAST, lastKept);
        }
        free(exchange);
    }

    private void reportEnd(ConnectionRow row, int exchange, long micros) {
        int number = exchange - 1;
        complete(row, exchange, micros);
        listener.exchangeEnded(
                row.service(),
                micros,
                is(exchange, ANSWERED),
                slab.ushortAt(number, STATUS),
                slab.longAt(number, FIRST_BYTE) - slab.longAt(number, REQUEST),
                slab.longAt(number, LAST_BYTE) - slab.longAt(number, FIRST_BYTE));
        failures.ended(row, exchange, slab.ushortAt(number, STATUS), micros);
    }

    /**
     * Returns a hash of the path requested by GET or HEAD; 0 for other methods and for an unknown
     * path.
     */
    long pathHash(int exchange) {
        int number = exchange - 1;
        int length = slab.ushortAt(number, TEXT_LENGTH);
        int block = slab.intAt(number, TEXT);
        if (!is(exchange, HAS_TARGET) || block == NONE || length > LONGEST_TARGET) {
            return 0;
        }
        int skipped = methodLength(texts.chunk(block - 1), texts.base(block - 1) + 4, length);
        if (skipped == 0) {
            return 0;
        }
        long hash = 0xcbf29ce484222325L;
        for (int at = 0; at < length && block != NONE; block = texts.headOf(block - 1)) {
            byte[] chunk = texts.chunk(block - 1);
            int base = texts.base(block - 1) + 4;
            int part = Math.min(BLOCK_TEXT, length - at);
            for (int i = at == 0 ? skipped : 0; i < part; i++) {
                hash = (hash ^ (chunk[base + i] & 0xff)) * 0x100000001b3L;
            }
            at += part;
        }
        return hash == 0 ? 1 : hash;
    }

    /** Returns the length of GET or HEAD and the space behind it; 0 for any other method. */
    private static int methodLength(byte[] text, int from, int length) {
        return begins(text, from, length, GET)
                ? GET.length
                : begins(text, from, length, HEAD) ? HEAD.length : 0;
    }

    private static boolean begins(byte[] text, int from, int length, byte[] with) {
        return length > with.length
                && Arrays.equals(text, from, from + with.length, with, 0, with.length);
    }

    /** Reports whether targets are needed at all: a target that no record may show is not kept. */
    public boolean keepsTargets() {
        return privacy.targets() != PrivacyRules.Targets.NONE;
    }

    /** Appends one character of the request line: the method, one space, the target. */
    public void append(int exchange, int character) {
        one[0] = (byte) character;
        append(exchange, one, 0, 1);
    }

    /** Appends a piece of the request line. */
    public void append(int exchange, byte[] bytes, int from, int length) {
        int number = exchange - 1;
        int kept = slab.ushortAt(number, TEXT_LENGTH);
        int left = Math.min(length, LONGEST_METHOD + LONGEST_TARGET + 1 - kept);
        int at = from;
        int block = slab.intAt(number, LAST_BLOCK);
        while (left > 0) {
            int into = kept % BLOCK_TEXT;
            if (into == 0) {
                int added = texts.allocate() + 1;
                if (added == NONE) {
                    break;
                }
                if (block == NONE) {
                    slab.setInt(number, TEXT, added);
                } else {
                    texts.setHead(block - 1, added);
                }
                block = added;
            }
            int part = Math.min(left, BLOCK_TEXT - into);
            System.arraycopy(
                    bytes, at, texts.chunk(block - 1), texts.base(block - 1) + 4 + into, part);
            at += part;
            kept += part;
            left -= part;
        }
        slab.setInt(number, LAST_BLOCK, block);
        slab.setShort(number, TEXT_LENGTH, kept);
    }

    /**
     * Returns the connection's exchanges as records, at most as many as a record keeps, and frees
     * their rows.
     */
    public List<HttpExchange> drain(ConnectionRow row) {
        int exchange = row.intAt(ConnectionRow.EXCHANGE_FIRST);
        if (exchange == NONE) {
            return List.of();
        }
        List<HttpExchange> list = new ArrayList<>(Math.clamp(
                row.intAt(ConnectionRow.EXCHANGES_KEPT), 1, ConnectionRecord.MAX_EXCHANGES));
        boolean inOrder = true;
        while (exchange != NONE) {
            inOrder &= !is(exchange, UNORDERED);
            if (list.size() < ConnectionRecord.MAX_EXCHANGES) {
                list.add(read(row, exchange));
            } else {
                row.add(ConnectionRow.EXCHANGES_LEFT_OUT, 1);
            }
            int next = slab.intAt(exchange - 1, NEXT);
            free(exchange);
            exchange = next;
        }
        row.setInt(ConnectionRow.EXCHANGE_FIRST, NONE);
        row.setInt(ConnectionRow.EXCHANGE_LAST, NONE);
        row.setInt(ConnectionRow.EXCHANGE_OLDEST, NONE);
        row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, NONE);
        if (!inOrder) {
            list.sort(Comparator.comparingLong(HttpExchange::requestMicros));
        }
        return list;
    }

    private void free(int exchange) {
        for (int block = slab.intAt(exchange - 1, TEXT); block != NONE; ) {
            int next = texts.headOf(block - 1);
            texts.free(block - 1);
            block = next;
        }
        slab.free(exchange - 1);
    }

    private HttpExchange read(ConnectionRow row, int exchange) {
        int number = exchange - 1;
        int length = copyLine(number);
        int space = space(length);
        String method = is(exchange, HAS_METHOD) && space > 0 ? method(space) : null;
        String target = null;
        if (is(exchange, HAS_TARGET) && space > 0 && keepsTargets()) {
            target = text(space + 1, length);
            boolean whole =
                    target.length() <= LONGEST_TARGET && length <= LONGEST_METHOD + LONGEST_TARGET;
            target = privacy.target(target, whole);
        }
        if (target != null && target.length() > LONGEST_TARGET) {
            target = target.substring(0, LONGEST_TARGET);
        }
        int status = slab.ushortAt(number, STATUS);
        boolean answered = is(exchange, ANSWERED);
        long request = slab.longAt(number, REQUEST);
        long first = slab.longAt(number, FIRST_BYTE);
        long last = slab.longAt(number, LAST_BYTE);
        return new HttpExchange(
                method,
                target,
                status == 0 ? null : (Integer) status,
                request,
                present(answered, first),
                present(answered, last),
                present(answered, Math.max(0, first - request)),
                present(answered, last - first),
                present(acknowledgements.afterMicros(exchange)),
                answered ? present(thinkMicros(row, exchange)) : null);
    }

    private static @Nullable Long present(long value) {
        return present(value != ConnectionListener.ABSENT, value);
    }

    private static @Nullable Long present(boolean present, long value) {
        return present ? (Long) value : null;
    }

    /** Copies the kept characters of the request line to {@link #line}; returns their number. */
    private int copyLine(int number) {
        int length = slab.ushortAt(number, TEXT_LENGTH);
        int at = 0;
        for (int block = slab.intAt(number, TEXT); block != NONE && at < length; ) {
            int part = Math.min(BLOCK_TEXT, length - at);
            System.arraycopy(texts.chunk(block - 1), texts.base(block - 1) + 4, line, at, part);
            at += part;
            block = texts.headOf(block - 1);
        }
        return length;
    }

    /** Returns the index of the first space of {@link #line}; -1 when there is none. */
    private int space(int length) {
        for (int at = 0; at < length; at++) {
            if (line[at] == ' ') {
                return at;
            }
        }
        return -1;
    }

    /** Returns the method of {@link #line}. Nearly all requests share one text. */
    private String method(int length) {
        return length == 3 && line[0] == 'G' && line[1] == 'E' && line[2] == 'T'
                ? "GET"
                : text(0, length);
    }

    private String text(int from, int to) {
        return new String(line, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
