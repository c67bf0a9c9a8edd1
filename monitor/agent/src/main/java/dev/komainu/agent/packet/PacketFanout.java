package dev.komainu.agent.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets the kernel deal an interface's packets out to several sockets (packet(7), PACKET_FANOUT).
 * Each packet goes to one of them, by a hash of addresses and ports that is the same in both
 * directions ({@code __skb_get_hash_symmetric}) and at every interface, so that a connection is
 * read by one thread from its first packet to its last, wherever it is seen. The n-th socket that
 * joins a group gets the n-th part of the hashes: the sockets of every interface must join in the
 * same order, that of their lanes.
 *
 * <p>Fragments have no ports, so IPv4's are put together before the hash is taken (DEFRAG). IPv6's
 * are not: those of one connection may come to another lane than its whole packets. TCP does not
 * send such on its own.
 */
final class PacketFanout {

    private static final int SOL_PACKET = 263;
    private static final int PACKET_FANOUT = 18;
    private static final int HASH = 0;
    /** The kernel picks a number nobody in this network namespace uses (Linux 4.12). */
    private static final int UNIQUE_ID = 0x2000;

    private static final int DEFRAG = 0x8000;
    private static final int ID_MASK = 0xffff;

    private PacketFanout() {}

    /** A packet socket that may join a group. */
    interface Member {

        /**
         * Sets PACKET_FANOUT.
         *
         * @param value the group's number in the lower 16 bits, mode and flags above
         * @return 0, or the error number
         */
        int join(int value);

        /** The number of the group joined, 0 to 65,535; negative: minus the error number. */
        int group();

        /** The interface, for messages. */
        String name();
    }

    /**
     * Makes one group of them; whatever came before is in each of them.
     *
     * @param interfaces sockets of one interface, in the order of their lanes
     * @return why not; null when the kernel does it
     */
    static @Nullable String join(List<LiveInterface> interfaces) {
        if (!Pcap.canSetOptions()) {
            return "this system has no PACKET_FANOUT";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 8);
            return joinOne(interfaces.stream()
                    .<Member>map(one -> new Socket(one, value))
                    .toList());
        }
    }

    /**
     * The kernel begins to count groups at 0 when the machine starts: that number is one as any
     * other.
     */
    static @Nullable String joinOne(List<? extends Member> members) {
        int id = 0;
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            int error = member.join((HASH | DEFRAG | (i == 0 ? UNIQUE_ID : 0)) << 16 | id);
            if (error == 0 && i == 0) {
                id = member.group();
                error = Math.max(0, -id);
            }
            if (error != 0) {
                return "the kernel refuses PACKET_FANOUT on " + member.name() + " (errno " + error
                        + ")";
            }
        }
        return null;
    }

    private record Socket(LiveInterface at, MemorySegment value) implements Member {

        @Override
        public int join(int wanted) {
            value.set(ValueLayout.JAVA_INT, 0, wanted);
            return Pcap.setOption(at.descriptor(), SOL_PACKET, PACKET_FANOUT, value, 4);
        }

        @Override
        public int group() {
            value.set(ValueLayout.JAVA_INT, 4, 4);
            int error = Pcap.getOption(
                    at.descriptor(), SOL_PACKET, PACKET_FANOUT, value, value.asSlice(4));
            return error == 0 ? value.get(ValueLayout.JAVA_INT, 0) & ID_MASK : -error;
        }

        @Override
        public String name() {
            return at.name();
        }
    }
}
