package dev.komainu.agent.evidence;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Mask of client addresses: copies a frame and clears all of a client's address but its network.
 * One thread.
 */
final class ClientMask {

    private static final int LONGEST = 1 << 18;
    private static final int IPV4_SOURCE = 12;
    private static final int IPV4_TARGET = 16;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV6_TARGET = 24;

    private final MemorySegment copy = MemorySegment.ofArray(new byte[LONGEST]);

    /**
     * Returns the masked frame, from its first byte; valid until the next call.
     *
     * @param ip offset of the IP header in the frame
     */
    MemorySegment of(
            MemorySegment memory, long offset, int kept, int ip, boolean source, boolean target) {
        int bytes = Math.min(kept, LONGEST);
        MemorySegment.copy(memory, offset, copy, 0, bytes);
        boolean six = (copy.get(ValueLayout.JAVA_BYTE, ip) & 0xf0) == 0x60;
        if (source) {
            wipe(six, ip + (six ? IPV6_SOURCE : IPV4_SOURCE));
        }
        if (target) {
            wipe(six, ip + (six ? IPV6_TARGET : IPV4_TARGET));
        }
        return copy;
    }

    /** Clears the host part: of IPv4 24 bits stay, of IPv6 48. */
    private void wipe(boolean six, int at) {
        copy.asSlice(at + (six ? 6 : 3), six ? 10 : 1).fill((byte) 0);
    }
}
