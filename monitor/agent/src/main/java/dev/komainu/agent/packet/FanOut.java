package dev.komainu.agent.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets the kernel deal an interface's packets out to several sockets (packet(7), PACKET_FANOUT). Each packet goes to one of
 * them, by a hash of addresses and ports that is the same in both directions ({@code __skb_get_hash_symmetric}) and at
 * every interface, so that a connection is read by one thread from its first packet to its last, wherever it is seen. The
 * n-th socket that joins a group gets the n-th part of the hashes: the sockets of every interface must join in the same
 * order, that of their lanes.
 *
 * <p>Fragments have no ports, so IPv4's are put together before the hash is taken (DEFRAG). IPv6's are not: those of one
 * connection may come to another lane than its whole packets. TCP does not send such on its own.
 */
final class FanOut {

    private static final int SOL_PACKET = 263;
    private static final int PACKET_FANOUT = 18;
    private static final int HASH = 0;
    /** The kernel picks a number nobody in this network namespace uses (Linux 4.12). */
    private static final int UNIQUE_ID = 0x2000;

    private static final int DEFRAG = 0x8000;
    private static final int ID_MASK = 0xffff;

    private FanOut() {}

    /**
     * Makes one group of them; whatever came before is in each of them.
     *
     * @param members sockets of one interface, in the order of their lanes
     * @return why not; null when the kernel does it
     */
    static @Nullable String join(List<LiveInterface> members) {
        if (!Pcap.canSetOptions()) {
            return "this system has no PACKET_FANOUT";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 8);
            int id = 0;
            for (LiveInterface member : members) {
                boolean first = id == 0;
                value.set(ValueLayout.JAVA_INT, 0, (HASH | DEFRAG | (first ? UNIQUE_ID : 0)) << 16 | id);
                int error = Pcap.setOption(member.descriptor(), SOL_PACKET, PACKET_FANOUT, value, 4);
                if (error == 0 && first) {
                    value.set(ValueLayout.JAVA_INT, 4, 4);
                    error = Pcap.getOption(member.descriptor(), SOL_PACKET, PACKET_FANOUT, value, value.asSlice(4));
                    id = value.get(ValueLayout.JAVA_INT, 0) & ID_MASK;
                }
                if (error != 0) {
                    return "the kernel refuses PACKET_FANOUT on " + member.name() + " (errno " + error + ")";
                }
            }
            return null;
        }
    }
}
