package dev.komainu.agent.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The {@code struct pollfd} array of a lane's interfaces. One thread.
 *
 * <pre>
 *  0 descriptor (4, negative: left out) | 4 events (2) | 6 answered (2)
 * </pre>
 */
final class PollSet {

    private static final short POLLIN = 1;
    private static final int BYTES = 8;

    private final MemorySegment descriptors;
    private int count;

    /** @param most interfaces there will ever be at once */
    PollSet(Arena arena, int most) {
        this.descriptors = arena.allocate((long) BYTES * Math.max(1, most), 8);
    }

    /**
     * In place of those before. A vanished interface would poll as ready for ever: it is left out.
     */
    void set(List<LiveInterface> interfaces) {
        count = interfaces.size();
        for (int i = 0; i < count; i++) {
            LiveInterface face = interfaces.get(i);
            descriptors.set(
                    ValueLayout.JAVA_INT, (long) i * BYTES, face.isGone() ? -1 : face.descriptor());
            descriptors.set(ValueLayout.JAVA_SHORT, (long) i * BYTES + 4, POLLIN);
        }
    }

    /** Returns when a packet is there on one of them, or after so long. */
    void await(int millis) {
        Pcap.poll(descriptors, count, millis);
    }
}
