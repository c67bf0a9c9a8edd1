package dev.komainu.agent.host.linux;

import dev.komainu.agent.host.linux.NetlinkSocket.RefusedException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing queue of each interface (tc(8)): its root queueing discipline, queried over
 * rtnetlink. A token bucket (tc-tbf(8)) reports its rate, which is then the link's speed.
 *
 * <pre>
 *  response, after the header               attributes                       in TCA_OPTIONS of tbf
 *   0 family, padding                         1 TCA_KIND     text              1 TCA_TBF_PARMS   rate at 8, bytes/s
 *   4 interface  8 handle  12 parent          2 TCA_OPTIONS  nested            4 TCA_TBF_RATE64  64 bits, when 32 are too few
 *  16 info                                    7 TCA_STATS2   nested: 3 TCA_STATS_QUEUE   length backlog drops …
 * </pre>
 *
 * One thread at a time.
 */
public final class TrafficControl implements AutoCloseable {

    private static final int NETLINK_ROUTE = 0;
    private static final int RTM_NEWQDISC = 36;
    private static final int RTM_GETQDISC = 38;
    private static final int BODY_BYTES = 20;
    private static final int TCA_KIND = 1;
    private static final int TCA_OPTIONS = 2;
    private static final int TCA_STATS2 = 7;
    private static final int TCA_STATS_QUEUE = 3;
    private static final int TCA_TBF_PARMS = 1;
    private static final int TCA_TBF_RATE64 = 4;
    /** The parent of a root discipline. */
    private static final int ROOT = -1;

    private static final int IF_NAMESIZE = 16;

    /** The C function. A separate class, so that hosts without it never load it. */
    private static final class C {
        private static final Linker LINKER = Linker.nativeLinker();
        static final MethodHandle IF_INDEXTONAME = LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("if_indextoname"),
                FunctionDescriptor.of(
                        ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }

    private final boolean askKernel;
    private @Nullable NetlinkSocket socket;
    private boolean refused;

    /**
     * The outgoing queue of one interface.
     *
     * @param bitsPerSecond the rate of a token bucket; absent without one
     * @param drops packets dropped since it was set up
     * @param queuedBytes bytes waiting now
     */
    public record Queue(@Nullable Long bitsPerSecond, long drops, long queuedBytes) {}

    /**
     * Creates a query.
     *
     * @param askKernel false with a copied {@code /proc}; then nothing is reported
     */
    public TrafficControl(boolean askKernel) {
        this.askKernel = askKernel;
    }

    /** Returns the queues by interface name; empty when the kernel does not report them. */
    public Map<String, Queue> read() {
        Map<String, Queue> queues = new HashMap<>();
        if (!askKernel || refused) {
            return queues;
        }
        try {
            NetlinkSocket netlink = socket;
            if (netlink == null) {
                netlink = NetlinkSocket.open(NETLINK_ROUTE);
                socket = netlink;
            }
            netlink.dump(RTM_GETQDISC, new byte[BODY_BYTES], (type, data, at, end) -> {
                if (type == RTM_NEWQDISC
                        && end - at >= BODY_BYTES
                        && data.getInt(at + 12) == ROOT) {
                    String name = name(data.getInt(at + 4));
                    if (!name.isEmpty()) {
                        queues.put(name, queue(data, at + BODY_BYTES, end));
                    }
                }
            });
        } catch (RefusedException e) {
            refused = true;
            close();
            queues.clear();
        }
        return queues;
    }

    /**
     * Returns an interface's name by its number; empty when it is gone. The kernel is queried and
     * not {@code /sys}, which may belong to another network namespace.
     */
    private static String name(int number) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment name = scratch.allocate(IF_NAMESIZE);
            MemorySegment found = (MemorySegment) C.IF_INDEXTONAME.invokeExact(number, name);
            return found.equals(MemorySegment.NULL)
                    ? ""
                    : name.getString(0, StandardCharsets.ISO_8859_1);
        } catch (Throwable e) {
            return "";
        }
    }

    /**
     * Reads the attributes of one discipline. For any lengths, no byte after {@code end} is read.
     */
    static Queue queue(ByteBuffer data, int from, int end) {
        boolean bucket = false;
        Long rate = null;
        long drops = 0;
        long queued = 0;
        for (int at = from;
                NetlinkAttributes.fits(data, at, end);
                at = NetlinkAttributes.next(data, at)) {
            int inner = at + NetlinkAttributes.HEADER;
            int innerEnd = at + Short.toUnsignedInt(data.getShort(at));
            switch (NetlinkAttributes.type(data, at)) {
                case TCA_KIND -> bucket = text(data, inner, innerEnd).equals("tbf");
                // The kernel writes the kind first (tc_fill_qdisc).
                case TCA_OPTIONS -> rate = bucket ? rate(data, inner, innerEnd) : null;
                case TCA_STATS2 -> {
                    int stats = NetlinkAttributes.find(data, inner, innerEnd, TCA_STATS_QUEUE, 12);
                    if (stats >= 0) {
                        queued = Integer.toUnsignedLong(data.getInt(stats + 4));
                        drops = Integer.toUnsignedLong(data.getInt(stats + 8));
                    }
                }
                default -> {}
            }
        }
        return new Queue(rate, drops, queued);
    }

    private static @Nullable Long rate(ByteBuffer data, int from, int end) {
        int wide = NetlinkAttributes.find(data, from, end, TCA_TBF_RATE64, 8);
        int parameters = NetlinkAttributes.find(data, from, end, TCA_TBF_PARMS, 12);
        long bytes = wide >= 0
                ? data.getLong(wide)
                : parameters >= 0 ? Integer.toUnsignedLong(data.getInt(parameters + 8)) : 0;
        return bytes > 0 && bytes < Long.MAX_VALUE / 8 ? Long.valueOf(bytes * 8) : null;
    }

    private static String text(ByteBuffer data, int from, int end) {
        byte[] bytes = new byte[end - from];
        data.get(from, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1).replace("\0", "");
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
