package dev.komainu.organizer.line.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The messages that the two ends of a QUIC connection exchange beside its streams: each end on a
 * unidirectional stream of its own, in messages of {@value #BYTES} bytes, big-endian.
 *
 * <pre>
 *  0      1                    9                    17
 * +------+--------------------+--------------------+
 * | kind | one                | two                |
 * +------+--------------------+--------------------+
 *   1 HELLO   most streams      window of a stream    first; a client sends requests after it
 *   2 WINDOW  -                 window of a stream    for all streams, open ones too (as RFC 9113 section 6.9.2)
 *   3 CREDIT  stream            bytes                 the receiver may send so many more on it
 *   4 RESET   stream            HTTP/2 error code     from an end whose output on it has ended; else the stream itself carries it
 *   5 PING    time of sending   -
 *   6 PONG    time of sending   -
 *   7 GOAWAY  -                 -                     no new streams; streams that the sender has not accepted are refused one by one
 *   8 LOSS    bytes sent        bytes of these lost   by the sender of this
 * </pre>
 *
 * <p>An unknown kind is skipped. Not thread-safe.
 */
final class QuicControlStream {

    static final int BYTES = 17;

    static final int HELLO = 1;
    static final int WINDOW = 2;
    static final int CREDIT = 3;
    static final int RESET = 4;
    static final int PING = 5;
    static final int PONG = 6;
    static final int GOAWAY = 7;
    static final int LOSS = 8;

    /** Listener of messages. */
    @FunctionalInterface
    interface Listener {
        void onMessage(int kind, long one, long two);
    }

    private final byte[] partial = new byte[BYTES];
    private int count;

    static ByteBuf message(ByteBufAllocator allocator, int kind, long one, long two) {
        return allocator.directBuffer(BYTES).writeByte(kind).writeLong(one).writeLong(two);
    }

    /**
     * Reads messages.
     *
     * @param in borrowed
     */
    void read(ByteBuf in, Listener listener) {
        while (in.isReadable()) {
            int next = Math.min(BYTES - count, in.readableBytes());
            in.readBytes(partial, count, next);
            count += next;
            if (count == BYTES) {
                count = 0;
                listener.onMessage(partial[0], number(1), number(9));
            }
        }
    }

    private long number(int start) {
        long number = 0;
        for (int i = start; i < start + 8; i++) {
            number = number << 8 | (partial[i] & 0xff);
        }
        return number;
    }
}
