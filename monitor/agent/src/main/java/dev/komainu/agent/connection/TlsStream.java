package dev.komainu.agent.connection;

import dev.komainu.telemetry.record.TlsFacts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Reads the record layer of TLS (RFC 8446 5, RFC 5246 6): the hellos in the clear, when the handshake is done, and hands
 * the application-data records on to {@link TlsExchanges}.
 *
 * <pre>
 *  record   0 type 1 | 1 version 2 | 3 length 2 | body
 *  types    20 change cipher spec, 21 alert, 22 handshake, 23 application data
 * </pre>
 *
 * <p>In the row, a direction's PHASE counts the bytes seen of a record's header (0: within the body, or between records),
 * NAMES is the record's type, MATCHED and MARKS together what is left of it, NUMBER the buffer of a hello not yet
 * complete. Buffers are few, shared, and given back when a hello was read.
 */
final class TlsStream {

    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;
    /** A record nobody needs to look into. */
    private static final int IGNORED = 0;

    private static final int LOWEST_TYPE = 20;
    private static final int HIGHEST_TYPE = 24;
    private static final int LONGEST_RECORD = 16_384 + 2_048;

    private static final int HELLO_ROW_BYTES = 4_096;
    private static final int HELLO_AT = 4;
    private static final int MOST_HELLOS = 4_096;

    private final TlsExchanges application;
    private final Interned names = new Interned();
    /** 0 bytes so far 4 | 4 the handshake message. */
    private final Blocks hellos = new Blocks(HELLO_ROW_BYTES, MOST_HELLOS);

    TlsStream(Exchanges exchanges, Alternation alternation) {
        this.application = new TlsExchanges(exchanges, alternation);
    }

    int hellosUsed() {
        return hellos.used();
    }

    /** See {@link HttpStream#read}. */
    HttpStream.Result read(Row row, boolean up, Piece piece) {
        MemorySegment m = piece.memory;
        long micros = piece.lastMicros;
        int side = up ? Row.UP : Row.DOWN;
        row.setShort(Row.TLS_MARKS, row.ushortAt(Row.TLS_MARKS) | TlsExchanges.SEEN);
        long at = piece.offset;
        long end = at + piece.known;
        while (at < end) {
            int phase = row.byteAt(side + Row.PHASE);
            int left = row.ushortAt(side + Row.MATCHED);
            if (phase == 0 && left > 0) {
                int here = (int) Math.min(left, end - at);
                body(row, up, side, m, at, here, micros);
                row.setShort(side + Row.MATCHED, left - here);
                at += here;
                continue;
            }
            int b = m.get(ValueLayout.JAVA_BYTE, at++) & 0xff;
            int next = phase + 1;
            switch (phase) {
                case 0 -> row.setByte(side + Row.NAMES, b);
                case 1 -> {
                    if (b != 3) {
                        return lost(row, micros);
                    }
                }
                case 3 -> row.setShort(side + Row.MATCHED, b << 8);
                case 4 -> {
                    row.setShort(side + Row.MATCHED, left | b);
                    next = 0;
                    if (!begins(row, up, side, left | b, micros)) {
                        return lost(row, micros);
                    }
                }
                default -> {}
            }
            row.setByte(side + Row.PHASE, next);
        }
        return piece.unknown > 0 ? unknown(row, up, side, piece.unknown, piece.hole, micros) : HttpStream.Result.READ;
    }

    private HttpStream.Result unknown(Row row, boolean up, int side, int bytes, boolean hole, long micros) {
        int left = row.ushortAt(side + Row.MATCHED);
        if (row.byteAt(side + Row.PHASE) != 0 || bytes > left) {
            return lost(row, micros);
        }
        row.setShort(side + Row.MATCHED, left - bytes);
        if (row.byteAt(side + Row.NAMES) == HANDSHAKE) {
            // A hello with a hole is of no use.
            finishHello(row, up, side);
        } else if (!hole) {
            body(row, up, side, MemorySegment.NULL, 0, 0, micros);
        }
        return HttpStream.Result.READ;
    }

    private HttpStream.Result lost(Row row, long micros) {
        application.settle(row, micros);
        release(row);
        return HttpStream.Result.LOST;
    }

    /** A record's header is complete; false when it is none. */
    private boolean begins(Row row, boolean up, int side, int length, long micros) {
        int type = row.byteAt(side + Row.NAMES);
        if (type < LOWEST_TYPE || type > HIGHEST_TYPE || length > LONGEST_RECORD) {
            return false;
        }
        if (type == CHANGE_CIPHER_SPEC) {
            application.cipherChanged(row, up);
        } else if (type == HANDSHAKE) {
            application.handshakeRecord(row, up, micros);
        } else if (type == APPLICATION_DATA && !application.record(row, up, length, micros)) {
            row.setByte(side + Row.NAMES, IGNORED);
        }
        return true;
    }

    private void body(Row row, boolean up, int side, MemorySegment m, long at, int length, long micros) {
        int type = row.byteAt(side + Row.NAMES);
        if (type == APPLICATION_DATA) {
            application.more(row, up, micros);
        } else if (type == HANDSHAKE && !TlsExchanges.helloRead(row, up)) {
            hello(row, up, side, m, at, length);
        }
    }

    private void hello(Row row, boolean up, int side, MemorySegment m, long at, int length) {
        int buffer = (int) row.longAt(side + Row.NUMBER) - 1;
        if (buffer == Slab.NONE) {
            buffer = hellos.allocate();
            if (buffer == Slab.NONE) {
                TlsExchanges.markHelloRead(row, up);
                return;
            }
            row.setLong(side + Row.NUMBER, buffer + 1);
        }
        int have = hellos.headOf(buffer);
        int room = Math.min(length, HELLO_ROW_BYTES - HELLO_AT - have);
        byte[] chunk = hellos.chunk(buffer);
        int base = hellos.base(buffer) + HELLO_AT;
        MemorySegment.copy(m, ValueLayout.JAVA_BYTE, at, chunk, base + have, room);
        have += room;
        hellos.setHead(buffer, have);
        if (have < 4) {
            return;
        }
        int message = 4 + ((chunk[base + 1] & 0xff) << 16 | (chunk[base + 2] & 0xff) << 8 | chunk[base + 3] & 0xff);
        if (have >= message || room < length) {
            finishHello(row, up, side);
        }
    }

    private void finishHello(Row row, boolean up, int side) {
        int buffer = (int) row.longAt(side + Row.NUMBER) - 1;
        TlsExchanges.markHelloRead(row, up);
        if (buffer == Slab.NONE) {
            return;
        }
        byte[] chunk = hellos.chunk(buffer);
        int base = hellos.base(buffer) + HELLO_AT;
        int have = hellos.headOf(buffer);
        if (have >= 4 && chunk[base] == (up ? TlsHello.CLIENT : TlsHello.SERVER)) {
            TlsHello hello = TlsHello.read(chunk, base, base + have);
            if (up) {
                row.setInt(Row.TLS_SNI, names.of(hello.sni()));
            } else {
                row.setShort(Row.TLS_ALPN, names.of(hello.alpn()) & 0xffff);
                TlsExchanges.setVersion(row, hello.version());
            }
        }
        hellos.free(buffer);
        row.setLong(side + Row.NUMBER, 0);
    }

    private void release(Row row) {
        for (int side = Row.UP; side <= Row.DOWN; side += Row.DOWN - Row.UP) {
            int buffer = (int) row.longAt(side + Row.NUMBER) - 1;
            if (buffer != Slab.NONE && !TlsExchanges.helloRead(row, side == Row.UP)) {
                hellos.free(buffer);
            }
            row.setLong(side + Row.NUMBER, 0);
        }
    }

    /** The connection is over. */
    void closed(Row row, long micros) {
        application.settle(row, micros);
    }

    /** What was seen of TLS, if anything. To be called once, when the row is given back. */
    @Nullable
    TlsFacts drain(Row row, boolean reading) {
        if ((row.ushortAt(Row.TLS_MARKS) & TlsExchanges.SEEN) == 0) {
            return null;
        }
        if (reading) {
            release(row);
        }
        int done = row.intAt(Row.TLS_DONE);
        return new TlsFacts(
                TlsExchanges.version(row),
                names.text(row.intAt(Row.TLS_SNI)),
                names.text(row.ushortAt(Row.TLS_ALPN)),
                TlsExchanges.sawDone(row) ? (Long) (row.longAt(Row.START) + done) : null);
    }
}
