package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks the kernel for its listening sockets over netlink (sock_diag(7)), as {@code ss -ltn} does: two system calls per
 * address family, whatever the number of connections.
 *
 * <pre>
 *  request                                  answer, one per socket, until NLMSG_DONE
 *   0 nlmsghdr  length type flags seq pid    0 nlmsghdr
 *  16 family protocol ext pad                16 family state timer retrans
 *  20 states   1 &lt;&lt; TCP_LISTEN               20 sport dport src[16] dst[16] if cookie   (ports, addresses: network order)
 *  24 id       48 bytes, all zero            68 expires rqueue wqueue uid inode          (32 bits each)
 * </pre>
 *
 * For a listener rqueue is the accept queue's length, wqueue its limit (kernel: inet_diag_msg, tcp_diag_get_info). One
 * thread at a time.
 */
final class SocketDiagnosis implements AutoCloseable {

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int REQUEST_BYTES = 72;
    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short NLM_F_REQUEST_DUMP = 0x301;
    private static final int TCP_LISTEN = 10;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;

    /** The C functions; a class of its own, so that hosts without them never load it. */
    private static final class C {
        private static final Linker LINKER = Linker.nativeLinker();
        static final MethodHandle SOCKET =
                call("socket", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        static final MethodHandle SETSOCKOPT = call(
                "setsockopt",
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT);
        static final MethodHandle SEND = callLong(
                "send", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
        static final MethodHandle RECV = callLong(
                "recv", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
        static final MethodHandle CLOSE = call("close", ValueLayout.JAVA_INT);

        private static MethodHandle call(String name, ValueLayout... arguments) {
            return LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
        }

        private static MethodHandle callLong(String name, ValueLayout... arguments) {
            return LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments));
        }
    }

    private final Arena arena = Arena.ofShared();
    private final MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
    private final MemorySegment answer = arena.allocate(32 << 10, 8);
    private final int socket;
    private int sequence;

    private SocketDiagnosis(int socket) {
        this.socket = socket;
    }

    /** @throws RefusedException when this kernel or sandbox has no such socket */
    static SocketDiagnosis open() throws RefusedException {
        try (Arena scratch = Arena.ofConfined()) {
            int socket = (int) C.SOCKET.invokeExact(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
            if (socket < 0) {
                throw new RefusedException("socket(AF_NETLINK)");
            }
            MemorySegment oneSecond = scratch.allocate(16, 8);
            oneSecond.set(ValueLayout.JAVA_LONG, 0, 1);
            int ignored = (int) C.SETSOCKOPT.invokeExact(socket, SOL_SOCKET, SO_RCVTIMEO, oneSecond, 16);
            return new SocketDiagnosis(socket);
        } catch (RefusedException e) {
            throw e;
        } catch (Throwable e) {
            throw new RefusedException(e.toString());
        }
    }

    /** @throws RefusedException when the kernel does not answer, or with an error */
    List<Listener> listeners() throws RefusedException {
        List<Listener> rows = new ArrayList<>();
        try {
            ask(AF_INET, rows);
            ask(AF_INET6, rows);
        } catch (RefusedException e) {
            throw e;
        } catch (Throwable e) {
            throw new RefusedException(e.toString());
        }
        return rows;
    }

    private void ask(byte family, List<Listener> rows) throws Throwable {
        ByteBuffer ask = request.asByteBuffer().order(ByteOrder.nativeOrder());
        sequence++;
        ask.putInt(0, REQUEST_BYTES)
                .putShort(4, SOCK_DIAG_BY_FAMILY)
                .putShort(6, NLM_F_REQUEST_DUMP)
                .putInt(8, sequence)
                .put(16, family)
                .put(17, (byte) 6)
                .putInt(20, 1 << TCP_LISTEN);
        if ((long) C.SEND.invokeExact(socket, request, (long) REQUEST_BYTES, 0) != REQUEST_BYTES) {
            throw new RefusedException("send");
        }
        boolean more = true;
        while (more) {
            long length = (long) C.RECV.invokeExact(socket, answer, answer.byteSize(), 0);
            if (length <= 0) {
                throw new RefusedException("recv");
            }
            more = parse(answer.asSlice(0, length).asByteBuffer().order(ByteOrder.nativeOrder()), sequence, rows);
        }
    }

    /**
     * Reads one datagram of answers.
     *
     * @return whether further datagrams follow
     * @throws RefusedException when the kernel says error
     */
    static boolean parse(ByteBuffer data, int sequence, List<Listener> rows) throws RefusedException {
        int at = 0;
        while (at + 16 <= data.limit()) {
            int length = data.getInt(at);
            int type = data.getShort(at + 4);
            if (length < 16 || length > data.limit() - at) {
                return false;
            }
            // Answers to an earlier, timed-out question are passed over.
            if (data.getInt(at + 8) == sequence) {
                if (type == NLMSG_DONE) {
                    return false;
                }
                if (type == NLMSG_ERROR) {
                    throw new RefusedException("error " + (length >= 20 ? data.getInt(at + 16) : 0));
                }
                if (type == SOCK_DIAG_BY_FAMILY && length >= 88) {
                    rows.add(listener(data, at + 16));
                }
            }
            at += length + 3 & ~3;
        }
        return true;
    }

    private static Listener listener(ByteBuffer data, int at) {
        byte[] address = new byte[data.get(at) == AF_INET ? 4 : 16];
        data.get(at + 8, address);
        int port = (data.get(at + 4) & 0xff) << 8 | data.get(at + 5) & 0xff;
        long queued = Integer.toUnsignedLong(data.getInt(at + 56));
        long limit = Integer.toUnsignedLong(data.getInt(at + 60));
        long inode = Integer.toUnsignedLong(data.getInt(at + 68));
        return new Listener(Endpoint.of(address, port), inode, queued, limit);
    }

    @Override
    public void close() {
        try {
            int ignored = (int) C.CLOSE.invokeExact(socket);
        } catch (Throwable e) {
            // Nothing is lost: the process's end closes it.
        }
        arena.close();
    }

    /** This way is not open here; the files are. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String step) {
            super("sock_diag: " + step);
        }
    }
}
