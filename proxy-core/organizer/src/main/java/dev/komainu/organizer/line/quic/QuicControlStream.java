package dev.komainu.organizer.line.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * What the two ends of a QUIC connection say to each other beside its streams: each on a one-way
 * stream of its own, in messages of {@value #BYTES} bytes, big-endian.
 *
 * <pre>
 *  0      1                    9                    17
 * +------+--------------------+--------------------+
 * | kind | one                | two                |
 * +------+--------------------+--------------------+
 *   1 HELLO   most streams      window of a stream    first; a client asks when it has it
 *   2 WINDOW  -                 window of a stream    for all streams, open ones too (as RFC 9113 section 6.9.2)
 *   3 CREDIT  stream            bytes                 may be sent more on it
 *   4 RESET   stream            HTTP/2 error code     by whom has said all on it already; else the stream itself carries it
 *   5 PING    when it was sent  -
 *   6 PONG    when it was sent  -
 *   7 GOAWAY  -                 -                     no new streams; those the sender has not taken are refused one by one
 *   8 LOSS    bytes sent        bytes of these lost   by the sender of this
 * </pre>
 *
 * A kind that nobody knows is skipped. Not for several threads.
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

    /** Hears messages. */
    @FunctionalInterface
    interface Events {
        void said(int kind, long one, long two);
    }

    private final byte[] begun = new byte[BYTES];
    private int count;

    static ByteBuf message(ByteBufAllocator allocator, int kind, long one, long two) {
        return allocator.directBuffer(BYTES).writeByte(kind).writeLong(one).writeLong(two);
    }

    /** @param in borrowed */
    void read(ByteBuf in, Events events) {
        while (in.isReadable()) {
            int next = Math.min(BYTES - count, in.readableBytes());
            in.readBytes(begun, count, next);
            count += next;
            if (count == BYTES) {
                count = 0;
                events.said(begun[0], number(1), number(9));
            }
        }
    }

    private long number(int at) {
        long number = 0;
        for (int i = at; i < at + 8; i++) {
            number = number << 8 | begun[i] & 0xff;
        }
        return number;
    }
}
