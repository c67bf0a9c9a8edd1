package dev.komainu.agent.connection.tls;

import dev.komainu.agent.connection.exchange.DirectionChangeExchanges;
import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.ReadResult;
import dev.komainu.agent.connection.tcp.BlockPool;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.RowSlab;
import dev.komainu.agent.connection.tcp.StreamPiece;
import dev.komainu.telemetry.record.TlsFacts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the record layer of TLS (RFC 8446 5, RFC 5246 6): it reads the hellos in the clear and
 * the end of the handshake, and passes the application-data records to {@link TlsExchanges}.
 *
 * <pre>
 *  record   0 type 1 | 1 version 2 | 3 length 2 | body
 *  types    20 change cipher spec, 21 alert, 22 handshake, 23 application data
 * </pre>
 *
 * <p>Bytes may be unknown, cut by a snaplen or never captured: a record's length comes from its
 * header, and where a header itself is unknown, reading resumes with the next segment that begins
 * with one.
 *
 * <p>In the row, a direction's PHASE counts the bytes seen of a record's header (0: within the
 * body, or between records), NAMES is the record's type, MATCHED and MARKS together the number of
 * bytes left of it, NUMBER the buffer of a hello not yet complete. Buffers are few, shared, and
 * freed when a hello was read.
 */
public final class TlsStream {

    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;
    /** A record that need not be read. */
    private static final int IGNORED = 0;

    private static final int LOWEST_TYPE = 20;
    private static final int HIGHEST_TYPE = 24;
    private static final int LONGEST_RECORD = 16_384 + 2_048;

    private static final int HEADER = 5;
    /** Value of PHASE: the beginning of the next record is not known. */
    private static final int SEARCHING = HEADER;

    private static final int HELLO_ROW_BYTES = 4_096;
    private static final int HELLO_AT = 4;
    private static final int MOST_HELLOS = 4_096;

    private final TlsExchanges application;
    private final ConnectionListener listener;
    private final InternedTexts names = new InternedTexts();
    /** 0 bytes so far 4 | 4 the handshake message. */
    private final BlockPool hellos = new BlockPool(HELLO_ROW_BYTES, MOST_HELLOS);

    public TlsStream(
            OpenExchanges exchanges,
            DirectionChangeExchanges directionChanges,
            ConnectionListener listener) {
        this.listener = listener;
        this.application = new TlsExchanges(exchanges, directionChanges);
    }

    /** Returns the hello buffers in use. */
    public int hellosUsed() {
        return hellos.used();
    }

    /** Reads the next bytes of the stream in order. */
    public ReadResult read(ConnectionRow row, boolean up, StreamPiece piece) {
        MemorySegment m = piece.memory;
        long micros = piece.lastMicros;
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        TlsState.mark(row, TlsState.SEEN);
        long at = piece.offset;
        long end = at + piece.known;
        if (row.byteAt(side + ConnectionRow.PHASE) == SEARCHING
                && !findRecord(row, up, side, piece)) {
            return ReadResult.READ;
        }
        while (at < end) {
            int phase = row.byteAt(side + ConnectionRow.PHASE);
            int left = row.ushortAt(side + ConnectionRow.MATCHED);
            if (phase == 0 && left > 0) {
                int here = (int) Math.min(left, end - at);
                body(row, up, side, at, here, piece);
                row.setShort(side + ConnectionRow.MATCHED, left - here);
                at += here;
                continue;
            }
            int b = m.get(ValueLayout.JAVA_BYTE, at++) & 0xff;
            int next = phase + 1;
            switch (phase) {
                case 0 -> row.setByte(side + ConnectionRow.NAMES, b);
                case 1 -> {
                    if (b != 3) {
                        return lost(row, micros);
                    }
                }
                case 3 -> row.setShort(side + ConnectionRow.MATCHED, b << 8);
                case 4 -> {
                    row.setShort(side + ConnectionRow.MATCHED, left | b);
                    next = 0;
                    if (!begins(row, up, side, left | b, piece)) {
                        return lost(row, micros);
                    }
                }
                default -> {}
            }
            row.setByte(side + ConnectionRow.PHASE, next);
        }
        if (piece.unknown > 0) {
            unknown(row, up, side, piece);
        }
        return ReadResult.READ;
    }

    private void unknown(ConnectionRow row, boolean up, int side, StreamPiece piece) {
        int left = row.ushortAt(side + ConnectionRow.MATCHED);
        boolean within = row.byteAt(side + ConnectionRow.PHASE) == 0 && piece.unknown <= left;
        if (row.byteAt(side + ConnectionRow.NAMES) == HANDSHAKE) {
            // A hello with a hole cannot be used.
            finishHello(row, up, side, piece.lastMicros);
        } else if (!piece.hole && left > 0) {
            body(row, up, side, 0, 0, piece);
        }
        row.setShort(side + ConnectionRow.MATCHED, within ? left - piece.unknown : 0);
        if (!within) {
            row.setByte(side + ConnectionRow.PHASE, SEARCHING);
            application.cut(row, up, piece.lastMicros);
        }
    }

    /**
     * Searches for the beginning of a record. A segment that seems to begin with a record is taken
     * for one: in ciphertext, three given bytes come once in sixteen million.
     */
    private boolean findRecord(ConnectionRow row, boolean up, int side, StreamPiece piece) {
        if (!piece.hole && piece.known >= HEADER) {
            MemorySegment m = piece.memory;
            int type = m.get(ValueLayout.JAVA_BYTE, piece.offset);
            int major = m.get(ValueLayout.JAVA_BYTE, piece.offset + 1);
            int minor = m.get(ValueLayout.JAVA_BYTE, piece.offset + 2);
            int length = (m.get(ValueLayout.JAVA_BYTE, piece.offset + 3) & 0xff) << 8
                    | (m.get(ValueLayout.JAVA_BYTE, piece.offset + 4) & 0xff);
            if (type >= LOWEST_TYPE
                    && type <= HIGHEST_TYPE
                    && major == 3
                    && minor >= 1
                    && minor <= 3
                    && length > 0
                    && length <= LONGEST_RECORD) {
                row.setByte(side + ConnectionRow.PHASE, 0);
                return true;
            }
        }
        if (!piece.hole) {
            application.more(row, up, piece);
        }
        return false;
    }

    private ReadResult lost(ConnectionRow row, long micros) {
        application.settle(row, micros);
        release(row);
        return ReadResult.LOST;
    }

    /** Handles a complete record header; false when it is not valid. */
    private boolean begins(ConnectionRow row, boolean up, int side, int length, StreamPiece piece) {
        int type = row.byteAt(side + ConnectionRow.NAMES);
        if (type < LOWEST_TYPE || type > HIGHEST_TYPE || length > LONGEST_RECORD) {
            return false;
        }
        if (type == CHANGE_CIPHER_SPEC) {
            application.cipherChanged(row, up);
        } else if (type == HANDSHAKE) {
            application.handshakeRecord(row, up, piece.lastMicros);
        } else if (type == APPLICATION_DATA) {
            if (!up) {
                extensions(row, length);
            }
            if (!application.record(row, up, length, piece)) {
                row.setByte(side + ConnectionRow.NAMES, IGNORED);
            }
        }
        return true;
    }

    private void body(
            ConnectionRow row, boolean up, int side, long at, int length, StreamPiece piece) {
        int type = row.byteAt(side + ConnectionRow.NAMES);
        if (type == APPLICATION_DATA) {
            application.more(row, up, piece);
        } else if (type == HANDSHAKE && !TlsState.helloRead(row, up)) {
            hello(row, up, side, piece, at, length);
        }
    }

    private void hello(
            ConnectionRow row, boolean up, int side, StreamPiece piece, long at, int length) {
        int buffer = (int) row.longAt(side + ConnectionRow.NUMBER) - 1;
        if (buffer == RowSlab.NONE) {
            buffer = hellos.allocate();
            if (buffer == RowSlab.NONE) {
                TlsState.markHelloRead(row, up);
                return;
            }
            row.setLong(side + ConnectionRow.NUMBER, buffer + 1);
        }
        int have = hellos.headOf(buffer);
        int room = Math.min(length, HELLO_ROW_BYTES - HELLO_AT - have);
        byte[] chunk = hellos.chunk(buffer);
        int base = hellos.base(buffer) + HELLO_AT;
        MemorySegment.copy(piece.memory, ValueLayout.JAVA_BYTE, at, chunk, base + have, room);
        have += room;
        hellos.setHead(buffer, have);
        if (have < 4) {
            return;
        }
        int message = 4
                + ((chunk[base + 1] & 0xff) << 16
                        | (chunk[base + 2] & 0xff) << 8
                        | (chunk[base + 3] & 0xff));
        if (have >= message || room < length) {
            finishHello(row, up, side, piece.lastMicros);
        }
    }

    private void finishHello(ConnectionRow row, boolean up, int side, long micros) {
        if (TlsState.helloRead(row, up)) {
            return;
        }
        int buffer = (int) row.longAt(side + ConnectionRow.NUMBER) - 1;
        TlsState.markHelloRead(row, up);
        if (buffer == RowSlab.NONE) {
            return;
        }
        byte[] chunk = hellos.chunk(buffer);
        int base = hellos.base(buffer) + HELLO_AT;
        int have = hellos.headOf(buffer);
        if (have >= 4 && chunk[base] == (up ? TlsHello.CLIENT : TlsHello.SERVER)) {
            TlsHello hello = TlsHello.read(chunk, base, base + have);
            if (up) {
                row.setInt(ConnectionRow.TLS_SNI, names.of(hello.sni()));
                TlsState.setOffers(row, names.of(String.join(",", hello.alpn())));
                TlsState.note(row, TlsState.REPORTED);
                listener.handshakeBegan(row.service(), micros);
            } else {
                serverHello(row, hello);
            }
        }
        hellos.free(buffer);
    }

    private void serverHello(ConnectionRow row, TlsHello hello) {
        TlsState.setVersion(row, hello.version());
        TlsState.setCipher(row, hello.cipher());
        if (hello.isRetry()) {
            TlsState.retry(row);
        }
        if (!TlsState.is13(row)) {
            protocol(row, hello.alpn().isEmpty() ? null : hello.alpn().getFirst());
        }
    }

    /**
     * Handles the first encrypted record of a TLS 1.3 server: its length determines the protocol
     * (RFC 8446 4.3.1).
     */
    private void extensions(ConnectionRow row, int length) {
        if (TlsState.is13(row) && !TlsState.has(row, TlsState.EXTENSIONS_SEEN)) {
            TlsState.note(row, TlsState.EXTENSIONS_SEEN);
            String offers = names.text(TlsState.offers(row));
            if (offers != null && !offers.isEmpty()) {
                protocol(
                        row,
                        AlpnInference.of(
                                List.of(offers.split(",")), length - TlsState.overhead(row)));
            }
        }
    }

    private void protocol(ConnectionRow row, @Nullable String protocol) {
        row.setShort(ConnectionRow.TLS_ALPN, names.of(protocol) & 0xffff);
        if ("h2".equals(protocol)) {
            TlsState.note(row, TlsState.HTTP_2);
        }
    }

    private void release(ConnectionRow row) {
        for (int side = ConnectionRow.UP;
                side <= ConnectionRow.DOWN;
                side += ConnectionRow.DOWN - ConnectionRow.UP) {
            int buffer = (int) row.longAt(side + ConnectionRow.NUMBER) - 1;
            if (buffer != RowSlab.NONE && !TlsState.helloRead(row, side == ConnectionRow.UP)) {
                hellos.free(buffer);
            }
            row.setLong(side + ConnectionRow.NUMBER, 0);
        }
    }

    /** Marks the handshake as done: the connection was picked up with application data. */
    public static void pickedUp(ConnectionRow row) {
        TlsState.pickedUp(row);
    }

    /** Handles the end of the connection. */
    public void closed(ConnectionRow row, long micros) {
        application.settle(row, micros);
        if (TlsState.isFailed(row)) {
            listener.handshakeFailed(row.service(), micros);
        }
    }

    /**
     * Returns the TLS facts of the connection, null without TLS. To be called once, when the row is
     * freed.
     */
    @Nullable
    public TlsFacts drain(ConnectionRow row, boolean reading) {
        if ((row.ushortAt(ConnectionRow.TLS_MARKS) & TlsState.SEEN) == 0) {
            return null;
        }
        if (reading) {
            release(row);
        }
        int done = row.intAt(ConnectionRow.TLS_DONE);
        return new TlsFacts(
                TlsState.version(row),
                names.text(row.intAt(ConnectionRow.TLS_SNI)),
                names.text(row.ushortAt(ConnectionRow.TLS_ALPN)),
                TlsState.is(row, TlsState.DONE_SEEN)
                        ? (Long) (row.longAt(ConnectionRow.START) + done)
                        : null);
    }
}
