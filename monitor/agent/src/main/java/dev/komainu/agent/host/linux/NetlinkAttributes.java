package dev.komainu.agent.host.linux;

import java.nio.ByteBuffer;

/**
 * The attributes after the fixed part of a netlink response (netlink(7), struct nlattr), in the
 * machine's byte order.
 *
 * <pre>
 *   0 length, header included   2 type, two flags above   4 value …   padded to 4 bytes
 * </pre>
 *
 * For any lengths, no byte after {@code end} is read.
 */
final class NetlinkAttributes {

    /** Size of the header before each value, in bytes. */
    static final int HEADER = 4;

    private static final int TYPE_MASK = 0x3fff;

    private NetlinkAttributes() {}

    /**
     * Returns the position of an attribute's value; -1 when there is none with at least that many
     * bytes.
     */
    static int find(ByteBuffer data, int from, int end, int type, int bytes) {
        for (int at = from; fits(data, at, end); at = next(data, at)) {
            if (type(data, at) == type
                    && Short.toUnsignedInt(data.getShort(at)) >= HEADER + bytes) {
                return at + HEADER;
            }
        }
        return -1;
    }

    static int type(ByteBuffer data, int at) {
        return data.getShort(at + 2) & TYPE_MASK;
    }

    /** Reports whether a whole attribute is at a position. */
    static boolean fits(ByteBuffer data, int at, int end) {
        int length = at + HEADER <= end ? Short.toUnsignedInt(data.getShort(at)) : 0;
        return length >= HEADER && length <= end - at;
    }

    static int next(ByteBuffer data, int at) {
        return at + (Short.toUnsignedInt(data.getShort(at)) + 3 & ~3);
    }
}
