package dev.komainu.agent.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Distribution of an interface's packets to several sockets by the kernel (packet(7),
 * PACKET_FANOUT). Each packet goes to one of them, by a hash of addresses and ports that is the
 * same in both directions ({@code __skb_get_hash_symmetric}) and at every interface. So a
 * connection is read by one thread from its first packet to its last, at every interface. The n-th
 * socket that joins a group receives the n-th part of the hashes: the sockets of every interface
 * must join in the same order, that of their lanes.
 *
 * <p>Fragments have no ports, so IPv4's are reassembled before the hash is computed (DEFRAG).
 * IPv6's are not: those of one connection may come to another lane than its whole packets. TCP does
 * not send such fragments on its own.
 */
final class PacketFanout {

    private static final int SOL_PACKET = 263;
    private static final int PACKET_FANOUT = 18;
    private static final int HASH = 0;
    /** The kernel chooses a group number that is unused in this network namespace (Linux 4.12). */
    private static final int UNIQUE_ID = 0x2000;

    private static final int DEFRAG = 0x8000;
    private static final int ID_MASK = 0xffff;

    private PacketFanout() {}

    /** A packet socket that may join a group. */
    interface Member {

        /**
         * Sets PACKET_FANOUT; returns 0, or the error number.
         *
         * @param value the group's number in the lower 16 bits, mode and flags above
         */
        int join(int value);

        /**
         * Returns the number of the joined group, 0 to 65,535; negative: minus the error number.
         */
        int group();

        /** Returns the interface's name, for messages. */
        String name();
    }

    /**
     * Joins the sockets into one group; each may already contain packets from before. Returns the
     * reason of a refusal; null when the kernel distributes the packets.
     *
     * @param interfaces sockets of one interface, in the order of their lanes
     */
    static @Nullable String join(List<LiveInterface> interfaces) {
        if (!Pcap.canSetOptions()) {
            return "this system has no PACKET_FANOUT";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment optionValue = arena.allocate(8, 8);
            return joinOne(interfaces.stream()
                    .<Member>map(one -> new Socket(one, optionValue))
                    .toList());
        }
    }

    /**
     * Joins the sockets into one group. After a boot the kernel numbers groups from 0: 0 is a valid
     * number.
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

    private record Socket(LiveInterface networkInterface, MemorySegment optionValue)
            implements Member {

        @Override
        public int join(int value) {
            optionValue.set(ValueLayout.JAVA_INT, 0, value);
            return Pcap.setOption(
                    networkInterface.descriptor(), SOL_PACKET, PACKET_FANOUT, optionValue, 4);
        }

        @Override
        public int group() {
            optionValue.set(ValueLayout.JAVA_INT, 4, 4);
            int error = Pcap.getOption(
                    networkInterface.descriptor(),
                    SOL_PACKET,
                    PACKET_FANOUT,
                    optionValue,
                    optionValue.asSlice(4));
            return error == 0 ? optionValue.get(ValueLayout.JAVA_INT, 0) & ID_MASK : -error;
        }

        @Override
        public String name() {
            return networkInterface.name();
        }
    }
}
