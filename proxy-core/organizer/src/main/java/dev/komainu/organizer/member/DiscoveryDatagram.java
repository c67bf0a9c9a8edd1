package dev.komainu.organizer.member;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jgroups.util.UUID;

/**
 * A datagram by which a member looks for others ({@code docs/formats/organizer-messages.md}). Any
 * process can send one: a receiver trusts nothing in it, but connects to its address.
 *
 * @param cluster JGroups' name of the group
 * @param caller JGroups' name of this run of the member
 * @param port the port at which it listens, at the address that the datagram comes from
 * @param isNewcomer true: it is in no group yet
 */
record DiscoveryDatagram(String cluster, UUID caller, int port, boolean isNewcomer) {

    static final int MOST_BYTES = 128;

    private static final int MAGIC = 0x6b_6d_6e_75;
    private static final byte VERSION = 1;

    ByteBuffer datagram() {
        byte[] name = cluster.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(MOST_BYTES)
                .putInt(MAGIC)
                .put(VERSION)
                .put((byte) (isNewcomer ? 1 : 0))
                .putShort((short) port)
                .putLong(caller.getMostSignificantBits())
                .putLong(caller.getLeastSignificantBits())
                .put((byte) name.length)
                .put(name)
                .flip();
    }

    /**
     * Reads a datagram.
     *
     * @throws MalformedMessageException with the position and what was expected
     */
    static DiscoveryDatagram read(ByteBuffer datagram) throws MalformedMessageException {
        try {
            if (datagram.remaining() > MOST_BYTES) {
                throw malformed(MOST_BYTES, "its end");
            }
            if (datagram.getInt() != MAGIC) {
                throw malformed(0, "kmnu");
            }
            if (datagram.get() != VERSION) {
                throw malformed(4, "version " + VERSION);
            }
            byte newcomer = datagram.get();
            if (newcomer != 0 && newcomer != 1) {
                throw malformed(5, "0 or 1");
            }
            int port = Short.toUnsignedInt(datagram.getShort());
            if (port == 0) {
                throw malformed(6, "a port");
            }
            UUID caller = new UUID(datagram.getLong(), datagram.getLong());
            byte[] name = new byte[Byte.toUnsignedInt(datagram.get())];
            datagram.get(name);
            if (datagram.hasRemaining()) {
                throw malformed(datagram.position(), "its end");
            }
            return new DiscoveryDatagram(
                    new String(name, StandardCharsets.US_ASCII), caller, port, newcomer == 1);
        } catch (BufferUnderflowException e) {
            throw malformed(datagram.position(), "more");
        }
    }

    private static MalformedMessageException malformed(int position, String expected) {
        return new MalformedMessageException(
                position, "not a discovery datagram (expected: " + expected + ")");
    }
}
