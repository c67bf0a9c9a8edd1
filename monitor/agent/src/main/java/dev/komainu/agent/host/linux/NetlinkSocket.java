package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A netlink socket (netlink(7)) that sends one request to the kernel and reads all responses.
 *
 * <pre>
 *   0 length   4 type   6 flags   8 sequence   12 port        16 the protocol's body …           (native byte order)
 * </pre>
 *
 * One thread at a time.
 */
final class NetlinkSocket implements AutoCloseable {

    /** Size of each message's header, in bytes. */
    static final int HEADER = 16;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final short NLM_F_REQUEST_DUMP = 0x301;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int MAX_REQUEST_BYTES = 256;

    /** The C functions. A separate class, so that hosts without them never load it. */
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
                "send",
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT);
        static final MethodHandle RECV = callLong(
                "recv",
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT);
        static final MethodHandle CLOSE = call("close", ValueLayout.JAVA_INT);

        private static MethodHandle call(String name, ValueLayout... arguments) {
            return LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow(name),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
        }

        private static MethodHandle callLong(String name, ValueLayout... arguments) {
            return LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow(name),
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments));
        }
    }

    /** A handler of the messages of a response. */
    @FunctionalInterface
    interface MessageHandler {

        /**
         * Handles one message.
         *
         * @param at position of the protocol's body, after the header
         * @param end position after its last byte
         */
        void handle(int type, ByteBuffer data, int at, int end);
    }

    private final Arena arena = Arena.ofShared();
    private final MemorySegment request = arena.allocate(MAX_REQUEST_BYTES, 8);
    private final MemorySegment response = arena.allocate(32 << 10, 8);
    private final int socket;
    private int sequence;

    private NetlinkSocket(int socket) {
        this.socket = socket;
    }

    /**
     * Opens a socket.
     *
     * @throws RefusedException when this kernel or sandbox has no such socket
     */
    static NetlinkSocket open(int protocol) throws RefusedException {
        try (Arena scratch = Arena.ofConfined()) {
            int socket = (int) C.SOCKET.invokeExact(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol);
            if (socket < 0) {
                throw new RefusedException("socket(AF_NETLINK)");
            }
            MemorySegment oneSecond = scratch.allocate(16, 8);
            oneSecond.set(ValueLayout.JAVA_LONG, 0, 1);
            int ignored =
                    (int) C.SETSOCKOPT.invokeExact(socket, SOL_SOCKET, SO_RCVTIMEO, oneSecond, 16);
            return new NetlinkSocket(socket);
        } catch (RefusedException e) {
            throw e;
        } catch (Throwable e) {
            throw new RefusedException(e.toString());
        }
    }

    /**
     * Requests all objects of one kind.
     *
     * @param body the protocol's part of the request, without the header
     * @throws RefusedException when the kernel does not respond, or responds with an error
     */
    void dump(int type, byte[] body, MessageHandler handler) throws RefusedException {
        try {
            int length = HEADER + body.length;
            ByteBuffer header = request.asByteBuffer().order(ByteOrder.nativeOrder());
            sequence++;
            header.putInt(0, length)
                    .putShort(4, (short) type)
                    .putShort(6, NLM_F_REQUEST_DUMP)
                    .putInt(8, sequence)
                    .putInt(12, 0)
                    .put(HEADER, body);
            if ((long) C.SEND.invokeExact(socket, request, (long) length, 0) != length) {
                throw new RefusedException("send");
            }
            boolean more = true;
            while (more) {
                long received = (long) C.RECV.invokeExact(socket, response, response.byteSize(), 0);
                if (received <= 0) {
                    throw new RefusedException("recv");
                }
                more = parse(
                        response.asSlice(0, received).asByteBuffer().order(ByteOrder.nativeOrder()),
                        sequence,
                        handler);
            }
        } catch (RefusedException e) {
            throw e;
        } catch (Throwable e) {
            throw new RefusedException(e.toString());
        }
    }

    /**
     * Reads one datagram of responses.
     *
     * @return whether further datagrams follow
     * @throws RefusedException when the kernel reports an error
     */
    static boolean parse(ByteBuffer data, int sequence, MessageHandler handler)
            throws RefusedException {
        int at = 0;
        while (at + HEADER <= data.limit()) {
            int length = data.getInt(at);
            int type = data.getShort(at + 4);
            if (length < HEADER || length > data.limit() - at) {
                return false;
            }
            // Responses to an earlier, timed-out request are skipped.
            if (data.getInt(at + 8) == sequence) {
                if (type == NLMSG_DONE) {
                    return false;
                }
                if (type == NLMSG_ERROR) {
                    throw new RefusedException(
                            "error " + (length >= 20 ? data.getInt(at + HEADER) : 0));
                }
                handler.handle(type, data, at + HEADER, at + length);
            }
            at += length + 3 & ~3;
        }
        return true;
    }

    @Override
    public void close() {
        try {
            int ignored = (int) C.CLOSE.invokeExact(socket);
        } catch (Throwable e) {
            // The descriptor is closed at the latest with the process.
        }
        arena.close();
    }

    /** A failure which shows that netlink is not available here. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String step) {
            super("netlink: " + step);
        }
    }
}
