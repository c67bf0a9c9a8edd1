package dev.komainu.organizer.line.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2Exception;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one QUIC stream of a line, as HTTP/3 lays them out (RFC 9114 section 7.1), in
 * pieces as they come:
 *
 * <pre>
 * +--------+--------+---------...
 * | type   | length | payload        type and length: variable-length integers (RFC 9000 section 16)
 * +--------+--------+---------...
 * type 0x00 DATA     bytes of the body, told in whatever pieces they come
 *      0x01 HEADERS  a head or fields behind: HPACK (RFC 7541) without its dynamic table, since streams overtake each other
 *      0x05 PROMISE  a stream's number, 8 bytes, then the head of the request that it will answer
 *      0x21 RESET    an HTTP/2 error code, 4 bytes: nothing more comes, and nothing that comes is heard
 * </pre>
 *
 * A frame of another type is skipped. Not for several threads.
 */
final class QuicFrames {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PROMISE = 5;
    static final int RESET = 0x21;

    /** Of a head or of fields behind. */
    static final int MOST_FIELDS = 65_536;

    /** Of a promised stream's number. */
    static final int NUMBER = 8;

    private static final int TYPE = 0;
    private static final int LENGTH = 1;
    private static final int PAYLOAD = 2;

    /** Hears frames. */
    interface Events {

        /** @param fields borrowed; @param last nothing follows in what is read now */
        void fieldsCame(ByteBuf fields, boolean last) throws Http2Exception;

        /** @param bytes given away; @param last nothing follows in what is read now */
        void bytesCame(ByteBuf bytes, boolean last);

        /** @param fields borrowed */
        void promiseCame(long stream, ByteBuf fields) throws Http2Exception;

        void resetCame(long code);
    }

    private int state = TYPE;
    /** Bytes of the number under way that are to come. */
    private int moreOfNumber;

    private long number;
    private long type;
    private long left;
    private @Nullable ByteBuf gathered;

    /** Whether a frame has begun and is not there whole. */
    boolean isInside() {
        return state != TYPE || moreOfNumber > 0;
    }

    /**
     * Reads all there is.
     *
     * @param in borrowed
     * @throws IllegalArgumentException when it breaks the rules; the stream cannot be read any more
     */
    void read(ByteBufAllocator allocator, ByteBuf in, Events events) throws Http2Exception {
        while (in.isReadable() || state == PAYLOAD && left == 0) {
            if (state == PAYLOAD) {
                payload(allocator, in, events);
            } else if (number(in)) {
                if (state == TYPE) {
                    type = number;
                    state = LENGTH;
                } else {
                    left = number;
                    state = PAYLOAD;
                    check();
                }
            }
        }
    }

    private void check() {
        boolean isBad = type == HEADERS && left > MOST_FIELDS
                || type == PROMISE && (left < NUMBER || left > NUMBER + MOST_FIELDS)
                || type == RESET && left != 4;
        if (isBad) {
            throw new IllegalArgumentException(
                    "A frame of type " + type + " with " + left + " bytes (expected: "
                            + (type == RESET ? "4" : "at most " + MOST_FIELDS) + ")");
        }
    }

    /** The first two bits tell how many bytes there are. @return whether it is there whole */
    private boolean number(ByteBuf in) {
        while (in.isReadable()) {
            int next = in.readUnsignedByte();
            if (moreOfNumber == 0) {
                moreOfNumber = (1 << (next >> 6)) - 1;
                number = next & 0x3f;
            } else {
                moreOfNumber--;
                number = number << 8 | next;
            }
            if (moreOfNumber == 0) {
                return true;
            }
        }
        return false;
    }

    private void payload(ByteBufAllocator allocator, ByteBuf in, Events events)
            throws Http2Exception {
        int count = (int) Math.min(left, in.readableBytes());
        left -= count;
        if (left == 0) {
            state = TYPE;
        }
        if (type == DATA) {
            if (count > 0) {
                events.bytesCame(in.readRetainedSlice(count), !in.isReadable() && left == 0);
            }
        } else if (type == HEADERS || type == PROMISE || type == RESET) {
            ByteBuf whole = whole(allocator, in, count);
            if (whole != null) {
                try {
                    if (type == HEADERS) {
                        events.fieldsCame(whole, !in.isReadable());
                    } else if (type == PROMISE) {
                        events.promiseCame(whole.readLong(), whole);
                    } else {
                        events.resetCame(whole.readUnsignedInt());
                    }
                } finally {
                    whole.release();
                }
            }
        } else {
            in.skipBytes(count);
        }
    }

    private @Nullable ByteBuf whole(ByteBufAllocator allocator, ByteBuf in, int count) {
        ByteBuf before = gathered;
        if (before == null && left == 0) {
            return in.readRetainedSlice(count);
        }
        if (before == null) {
            before = allocator.buffer((int) (count + left));
            gathered = before;
        }
        before.writeBytes(in, count);
        if (left > 0) {
            return null;
        }
        gathered = null;
        return before;
    }

    void release() {
        ByteBuf before = gathered;
        if (before != null) {
            gathered = null;
            before.release();
        }
    }

    /** What stands before a payload. */
    static void begin(ByteBuf out, int type, int length) {
        out.writeByte(type);
        if (length < 1 << 6) {
            out.writeByte(length);
        } else if (length < 1 << 14) {
            out.writeShort(1 << 14 | length);
        } else {
            out.writeInt(2 << 30 | length);
        }
    }
}
