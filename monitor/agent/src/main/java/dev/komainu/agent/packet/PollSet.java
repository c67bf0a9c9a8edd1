package dev.komainu.agent.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The {@code struct pollfd} array of a lane's interfaces. One thread.
 *
 * <pre>
 *  0 descriptor (4, negative: left out) | 4 events (2) | 6 revents (2)
 * </pre>
 */
final class PollSet {

    private static final short POLLIN = 1;
    private static final int BYTES = 8;

    private final MemorySegment descriptors;
    private int count;

    /**
     * Creates an empty set.
     *
     * @param most largest number of interfaces at once
     */
    PollSet(Arena arena, int most) {
        this.descriptors = arena.allocate((long) BYTES * Math.max(1, most), 8);
    }

    /** Replaces the interfaces. A vanished interface would always poll as ready: it is left out. */
    void set(List<LiveInterface> interfaces) {
        count = interfaces.size();
        for (int i = 0; i < count; i++) {
            LiveInterface networkInterface = interfaces.get(i);
            descriptors.set(
                    ValueLayout.JAVA_INT,
                    (long) i * BYTES,
                    networkInterface.isGone() ? -1 : networkInterface.descriptor());
            descriptors.set(ValueLayout.JAVA_SHORT, (long) i * BYTES + 4, POLLIN);
        }
    }

    /** Waits until one of them has a packet, at most {@code millis} milliseconds. */
    void await(int millis) {
        Pcap.poll(descriptors, count, millis);
    }
}
