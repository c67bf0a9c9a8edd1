package dev.komainu.organizer.line.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2Exception;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one QUIC stream of a line, in the layout of HTTP/3 (RFC 9114 section 7.1), read in
 * pieces as they come:
 *
 * <pre>
 * +--------+--------+---------...
 * | type   | length | payload        type and length: variable-length integers (RFC 9000 section 16)
 * +--------+--------+---------...
 * type 0x00 DATA     bytes of the body, delivered in the pieces in which they come
 *      0x01 HEADERS  a head or trailers: HPACK (RFC 7541) without its dynamic table, since streams overtake each other
 *      0x05 PROMISE  a stream's number, 8 bytes, then the head of the promised request
 *      0x21 RESET    an HTTP/2 error code, 4 bytes: the sender sends nothing more, and reads nothing more
 * </pre>
 *
 * <p>A frame of another type is skipped. Not thread-safe.
 */
final class QuicFrames {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PROMISE = 5;
    static final int RESET = 0x21;

    /** Maximum bytes of a head or of trailers. */
    static final int MOST_FIELDS = 65_536;

    /** Bytes of a promised stream's number. */
    static final int NUMBER = 8;

    private static final int TYPE = 0;
    private static final int LENGTH = 1;
    private static final int PAYLOAD = 2;

    /** Listener of frames. */
    interface Listener {

        /**
         * Receives a head or trailers.
         *
         * @param fields borrowed
         * @param last true: nothing follows in the current read
         */
        void onFields(ByteBuf fields, boolean last) throws Http2Exception;

        /**
         * Receives bytes of the body.
         *
         * @param bytes ownership passes to the listener
         * @param last true: nothing follows in the current read
         */
        void onData(ByteBuf bytes, boolean last);

        /**
         * Receives a promise.
         *
         * @param stream number of the stream of the response
         * @param fields borrowed
         */
        void onPromise(long stream, ByteBuf fields) throws Http2Exception;

        void onReset(long code);
    }

    private int state = TYPE;
    /** Bytes that complete the current number. */
    private int numberBytesLeft;

    private long number;
    private long type;
    private long left;
    private @Nullable ByteBuf partial;

    /** Returns whether a frame has started and is not complete. */
    boolean isInside() {
        return state != TYPE || numberBytesLeft > 0;
    }

    /**
     * Reads all bytes of the buffer.
     *
     * @param in borrowed
     * @throws IllegalArgumentException when the bytes break the format; the stream cannot be read
     *     any more
     */
    void read(ByteBufAllocator allocator, ByteBuf in, Listener listener) throws Http2Exception {
        while (in.isReadable() || (state == PAYLOAD && left == 0)) {
            if (state == PAYLOAD) {
                payload(allocator, in, listener);
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
        boolean isBad = (type == HEADERS && left > MOST_FIELDS)
                || (type == PROMISE && (left < NUMBER || left > NUMBER + MOST_FIELDS))
                || (type == RESET && left != 4);
        if (isBad) {
            throw new IllegalArgumentException(
                    "A frame of type " + type + " with " + left + " bytes (expected: "
                            + (type == RESET ? "4" : "at most " + MOST_FIELDS) + ")");
        }
    }

    /**
     * Reads a number, whose first two bits give its length.
     *
     * @return whether the number is complete
     */
    private boolean number(ByteBuf in) {
        while (in.isReadable()) {
            int next = in.readUnsignedByte();
            if (numberBytesLeft == 0) {
                numberBytesLeft = (1 << (next >> 6)) - 1;
                number = next & 0x3f;
            } else {
                numberBytesLeft--;
                number = number << 8 | next;
            }
            if (numberBytesLeft == 0) {
                return true;
            }
        }
        return false;
    }

    private void payload(ByteBufAllocator allocator, ByteBuf in, Listener listener)
            throws Http2Exception {
        int count = (int) Math.min(left, in.readableBytes());
        left -= count;
        if (left == 0) {
            state = TYPE;
        }
        if (type == DATA) {
            if (count > 0) {
                listener.onData(in.readRetainedSlice(count), !in.isReadable() && left == 0);
            }
        } else if (type == HEADERS || type == PROMISE || type == RESET) {
            ByteBuf whole = whole(allocator, in, count);
            if (whole != null) {
                try {
                    if (type == HEADERS) {
                        listener.onFields(whole, !in.isReadable());
                    } else if (type == PROMISE) {
                        listener.onPromise(whole.readLong(), whole);
                    } else {
                        listener.onReset(whole.readUnsignedInt());
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
        ByteBuf known = partial;
        if (known == null && left == 0) {
            return in.readRetainedSlice(count);
        }
        if (known == null) {
            known = allocator.buffer((int) (count + left));
            partial = known;
        }
        known.writeBytes(in, count);
        if (left > 0) {
            return null;
        }
        partial = null;
        return known;
    }

    void release() {
        ByteBuf known = partial;
        if (known != null) {
            partial = null;
            known.release();
        }
    }

    /** Writes the header of a frame. */
    static void writeHeader(ByteBuf out, int type, int length) {
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
