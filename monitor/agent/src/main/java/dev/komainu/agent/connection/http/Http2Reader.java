package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.ReadResult;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.StreamPiece;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the frames of HTTP/2 in the clear (RFC 9113 4.1); each stream is an exchange
 * ({@link Http2Streams}).
 *
 * <pre>
 *  frame   0 length 3 | 3 type 1 | 4 flags 1 | 5 stream 4 | payload
 *  read    DATA 0, HEADERS 1, RST_STREAM 3, PUSH_PROMISE 5 (for its header block only), CONTINUATION 9
 * </pre>
 *
 * <p>Bytes may be unknown. Within data that does not matter. A header block with a hole is not
 * read, and its table entries stay unknown ({@link HpackTable}). After an unknown frame header,
 * reading resumes with the next segment that begins with a frame header.
 */
public final class Http2Reader {

    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int LEAST_CONNECTIONS = 64;
    private static final int MOST_CONNECTIONS = 4_096;
    /** Memory of a connection in ordinary use: two tables, a block, the streams. */
    private static final int BYTES_PER_CONNECTION = 16_384;

    private static final int SHARE_OF_HEAP = 16;
    private static final int HIGHEST_TYPE = 9;
    private static final int LONGEST_PLAUSIBLE = 1 << 20;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;

    private final Http2Streams streams;
    private final int most;
    private final List<@Nullable Http2Connection> connections = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private final byte[] chunk = new byte[4_096];
    private int used;

    public Http2Reader(OpenExchanges exchanges) {
        this.streams = new Http2Streams(exchanges);
        this.most = (int) Math.clamp(
                Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / BYTES_PER_CONNECTION,
                LEAST_CONNECTIONS,
                MOST_CONNECTIONS);
    }

    /** Returns the connections that are read. */
    public int used() {
        return used;
    }

    /** Reports whether a client's first bytes are those of HTTP/2 (RFC 9113 3.4). */
    public static boolean begins(StreamPiece piece) {
        if (piece.known < 4) {
            return false;
        }
        for (int i = 0; i < Math.min(piece.known, PREFACE.length); i++) {
            if (piece.memory.get(ValueLayout.JAVA_BYTE, piece.offset + i) != PREFACE[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Begins to read a connection; false where too many are followed already.
     *
     * @param upgraded whether the server may be in the middle of a response (RFC 7540 3.2)
     */
    public boolean begin(ConnectionRow row, boolean upgraded) {
        if (used == most) {
            return false;
        }
        used++;
        Http2Connection connection = new Http2Connection();
        connection.down.searching = upgraded;
        int number;
        if (free.isEmpty()) {
            number = connections.size();
            connections.add(connection);
        } else {
            number = free.removeLast();
            connections.set(number, connection);
        }
        row.setLong(ConnectionRow.UP + ConnectionRow.NUMBER, number + 1L);
        return true;
    }

    private @Nullable Http2Connection of(ConnectionRow row) {
        int number = (int) row.longAt(ConnectionRow.UP + ConnectionRow.NUMBER) - 1;
        return number < 0 ? null : connections.get(number);
    }

    public boolean isUnanswered(ConnectionRow row) {
        Http2Connection connection = of(row);
        return connection != null && streams.isUnanswered(connection);
    }

    /** Reads the next bytes of the stream, as {@link HttpStream#read} does. */
    public ReadResult read(ConnectionRow row, boolean up, StreamPiece piece) {
        Http2Connection connection = of(row);
        if (connection == null) {
            return ReadResult.LOST;
        }
        Http2Connection.Side side = connection.side(up);
        MemorySegment m = piece.memory;
        long at = piece.offset;
        long end = at + piece.known;
        if (side.searching) {
            if (!isFrame(piece)) {
                return ReadResult.READ;
            }
            side.searching = false;
            side.headerBytes = 0;
            side.left = 0;
        }
        while (at < end) {
            if (up && side.preface < PREFACE.length) {
                if (m.get(ValueLayout.JAVA_BYTE, at++) != PREFACE[side.preface++]) {
                    return ReadResult.LOST;
                }
            } else if (side.headerBytes < Http2Connection.FRAME_HEADER) {
                if (side.headerBytes == 0) {
                    side.frameMicros = piece.lastMicros;
                }
                side.header[side.headerBytes++] = m.get(ValueLayout.JAVA_BYTE, at++);
                if (side.headerBytes == Http2Connection.FRAME_HEADER) {
                    begins(row, connection, side, up, piece);
                }
            } else {
                int here = (int) Math.min(side.left, end - at);
                payload(row, connection, side, up, piece, at, here);
                at += here;
                side.left -= here;
                if (side.left == 0) {
                    ends(row, connection, side, up, piece);
                }
            }
        }
        if (piece.unknown > 0) {
            unknown(row, connection, side, up, piece);
        }
        return ReadResult.READ;
    }

    private void unknown(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece) {
        boolean within =
                side.headerBytes == Http2Connection.FRAME_HEADER && piece.unknown <= side.left;
        if (side.headerBytes == Http2Connection.FRAME_HEADER) {
            if (holdsBlock(side.type)) {
                side.blockLost = true;
            }
            if (!piece.hole) {
                streams.more(row, connection, side, up, piece);
            }
        }
        if (within) {
            side.left -= piece.unknown;
            if (side.left == 0) {
                ends(row, connection, side, up, piece);
            }
            return;
        }
        if (side.headerBytes == Http2Connection.FRAME_HEADER) {
            ends(row, connection, side, up, piece);
        }
        side.table.clear();
        side.forgetBlock();
        side.preface = PREFACE.length;
        side.searching = true;
    }

    /** Reports whether a segment seems to begin with a frame. */
    private static boolean isFrame(StreamPiece piece) {
        if (piece.hole || piece.known < Http2Connection.FRAME_HEADER) {
            return false;
        }
        int length = 0;
        for (int i = 0; i < 3; i++) {
            length = length << 8
                    | (piece.memory.get(ValueLayout.JAVA_BYTE, piece.offset + i) & 0xff);
        }
        int type = piece.memory.get(ValueLayout.JAVA_BYTE, piece.offset + 3);
        int stream = 0;
        for (int i = 5; i < Http2Connection.FRAME_HEADER; i++) {
            stream = stream << 8
                    | (piece.memory.get(ValueLayout.JAVA_BYTE, piece.offset + i) & 0xff);
        }
        return length <= LONGEST_PLAUSIBLE
                && stream >= 0
                && switch (type) {
                    case DATA, HEADERS -> (stream & 1) == 1;
                    case RST_STREAM, WINDOW_UPDATE -> length == 4;
                    case SETTINGS -> stream == 0 && length % 6 == 0;
                    case PING -> stream == 0 && length == 8;
                    default -> false;
                };
    }

    private static boolean holdsBlock(int type) {
        return type == HEADERS || type == PUSH_PROMISE || type == CONTINUATION;
    }

    /** Handles a complete frame header. */
    private void begins(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece) {
        byte[] h = side.header;
        side.left = (h[0] & 0xff) << 16 | (h[1] & 0xff) << 8 | (h[2] & 0xff);
        side.type = h[3];
        side.flags = h[4];
        side.stream =
                (h[5] & 0x7f) << 24 | (h[6] & 0xff) << 16 | (h[7] & 0xff) << 8 | (h[8] & 0xff);
        if (side.type == HEADERS || side.type == PUSH_PROMISE) {
            side.forgetBlock();
            side.blockStream = side.stream;
            side.isPromise = side.type == PUSH_PROMISE;
            side.endsStream = Http2Streams.endsStream(side);
            side.begunMicros = side.frameMicros;
        }
        side.frameFrom = side.blockLength;
        streams.more(row, connection, side, up, piece);
        if (side.left == 0) {
            ends(row, connection, side, up, piece);
        }
    }

    private void payload(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece,
            long at,
            int here) {
        if (holdsBlock(side.type)) {
            for (int done = 0; done < here; done += chunk.length) {
                int part = Math.min(chunk.length, here - done);
                MemorySegment.copy(piece.memory, ValueLayout.JAVA_BYTE, at + done, chunk, 0, part);
                side.append(chunk, 0, part);
            }
        }
        streams.more(row, connection, side, up, piece);
    }

    private void ends(
            ConnectionRow row,
            Http2Connection connection,
            Http2Connection.Side side,
            boolean up,
            StreamPiece piece) {
        side.headerBytes = 0;
        if (side.type > HIGHEST_TYPE) {
            return;
        }
        if (!holdsBlock(side.type)) {
            streams.frame(row, connection, side, up, piece);
            return;
        }
        strip(side);
        if ((side.flags & END_HEADERS) != 0) {
            streams.block(row, connection, side, up, piece);
            side.forgetBlock();
        }
    }

    /**
     * Removes the bytes that are not part of the header block from the collected frame (RFC 9113
     * 6.2, 6.6).
     */
    private static void strip(Http2Connection.Side side) {
        if (side.type == CONTINUATION || side.blockLost) {
            return;
        }
        int from = side.frameFrom;
        int pad = 0;
        int front = 0;
        if ((side.flags & PADDED) != 0 && side.blockLength > from) {
            pad = side.block[from] & 0xff;
            front = 1;
        }
        if (side.type == PUSH_PROMISE) {
            front += 4;
        } else if ((side.flags & PRIORITY) != 0) {
            front += 5;
        }
        int length = side.blockLength - from - front - pad;
        if (length < 0) {
            side.blockLost = true;
            return;
        }
        System.arraycopy(side.block, from + front, side.block, from, length);
        side.blockLength = from + length;
    }

    /**
     * Handles a server that closed first and had received everything before {@code acknowledged}.
     */
    public void serverClosed(ConnectionRow row, int acknowledged) {
        Http2Connection connection = of(row);
        if (connection != null) {
            streams.close(connection, acknowledged);
        }
    }

    /** Handles the end of the server's stream: everything the server sent was read. */
    public void serverEnded(ConnectionRow row, long micros) {
        Http2Connection connection = of(row);
        if (connection != null) {
            streams.serverEnded(row, connection, micros);
        }
    }

    /** Handles the end of the connection, which ends every stream. */
    public void closed(ConnectionRow row, long micros) {
        Http2Connection connection = of(row);
        if (connection != null) {
            streams.closed(row, connection, micros);
            int number = (int) row.longAt(ConnectionRow.UP + ConnectionRow.NUMBER) - 1;
            connections.set(number, null);
            free.add(number);
            used--;
            row.setLong(ConnectionRow.UP + ConnectionRow.NUMBER, 0);
        }
    }
}
