package dev.komainu.agent.host.linux;

import java.nio.ByteBuffer;

/**
 * What stands behind the fixed part of a netlink answer (netlink(7), struct nlattr), in the
 * machine's byte order.
 *
 * <pre>
 *   0 length, head included   2 type, two flags above   4 value …   filled up to 4 bytes
 * </pre>
 *
 * Whatever the lengths say, nothing behind {@code end} is read.
 */
final class NetlinkAttributes {

    /** Bytes before each value. */
    static final int HEAD = 4;

    private static final int TYPE_MASK = 0x3fff;

    private NetlinkAttributes() {}

    /** Where the value of an attribute stands; -1 when there is none of at least so many bytes. */
    static int find(ByteBuffer data, int from, int end, int type, int bytes) {
        for (int at = from; fits(data, at, end); at = next(data, at)) {
            if (type(data, at) == type && Short.toUnsignedInt(data.getShort(at)) >= HEAD + bytes) {
                return at + HEAD;
            }
        }
        return -1;
    }

    static int type(ByteBuffer data, int at) {
        return data.getShort(at + 2) & TYPE_MASK;
    }

    /** Whether a whole attribute stands there. */
    static boolean fits(ByteBuffer data, int at, int end) {
        int length = at + HEAD <= end ? Short.toUnsignedInt(data.getShort(at)) : 0;
        return length >= HEAD && length <= end - at;
    }

    static int next(ByteBuffer data, int at) {
        return at + (Short.toUnsignedInt(data.getShort(at)) + 3 & ~3);
    }
}
