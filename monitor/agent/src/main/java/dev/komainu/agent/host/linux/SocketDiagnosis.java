package dev.komainu.agent.host.linux;

import dev.komainu.agent.host.linux.NetlinkSocket.RefusedException;
import dev.komainu.telemetry.record.Endpoint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A query of the kernel's TCP sockets over netlink (sock_diag(7)), as {@code ss -ltn} does: two
 * system calls per address family for listeners, for any number of connections.
 *
 * <pre>
 *  request, after the header                response, one per socket, after the header
 *   0 family protocol ext pad                 0 family state timer retrans
 *   4 states   1 &lt;&lt; TCP_LISTEN, …             4 sport dport src[16] dst[16] if cookie   (ports, addresses: network order)
 *   8 id       48 bytes, all zero            52 expires rqueue wqueue uid inode          (32 bits each)
 * </pre>
 *
 * For a listener rqueue is the accept queue's length, wqueue its limit (kernel: inet_diag_msg,
 * tcp_diag_get_info), and the ninth word of the attribute SKMEMINFO after it is the number of drops
 * (tcp_listendrop). One thread at a time.
 */
final class SocketDiagnosis implements AutoCloseable {

    /**
     * All states in which a connection uses a port: all except CLOSE (7), LISTEN (10) and half-open
     * connections of listeners.
     */
    static final int CONNECTED =
            1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 11;

    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int BODY_BYTES = 56;
    private static final int RESPONSE_BYTES = 72;
    private static final int SOCK_DIAG_BY_FAMILY = 20;
    /** struct inet_diag_req: family and lengths 4, id 48, states 4, 4 (linux/inet_diag.h). */
    private static final int TCPDIAG_GETSOCK = 18;

    private static final int OLD_BODY_BYTES = 60;
    private static final int OLD_STATES_AT = 52;
    private static final int LISTENING = 1 << 10;
    private static final int INET_DIAG_SKMEMINFO = 7;
    private static final int SK_MEMINFO_DROPS = 8;
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;

    private final NetlinkSocket socket;

    private SocketDiagnosis(NetlinkSocket socket) {
        this.socket = socket;
    }

    /**
     * Opens the query's socket.
     *
     * @throws RefusedException when this kernel or sandbox has no such socket
     */
    static SocketDiagnosis open() throws RefusedException {
        return new SocketDiagnosis(NetlinkSocket.open(NETLINK_SOCK_DIAG));
    }

    /**
     * Returns the listening sockets.
     *
     * @throws RefusedException when the kernel does not respond, or responds with an error
     */
    List<ListeningSocket> listeners() throws RefusedException {
        List<ListeningSocket> rows = new ArrayList<>();
        NetlinkSocket.MessageHandler handler = (type, data, at, end) -> {
            if (type == SOCK_DIAG_BY_FAMILY && end - at >= RESPONSE_BYTES) {
                rows.add(listener(data, at, end));
            }
        };
        query(LISTENING, 1 << (INET_DIAG_SKMEMINFO - 1), handler);
        return rows;
    }

    /**
     * Counts the connections by destination.
     *
     * @throws RefusedException when the kernel does not respond, or responds with an error
     */
    void connections(PortUse use) throws RefusedException {
        query(CONNECTED, 0, (type, data, at, end) -> {
            if (type == SOCK_DIAG_BY_FAMILY && end - at >= RESPONSE_BYTES) {
                boolean ipv4 = data.get(at) == AF_INET;
                use.add(
                        port(data, at + 4),
                        ipv4 ? 0 : word(data, at + 8),
                        ipv4 ? ipv4(data, at + 8) : word(data, at + 16),
                        port(data, at + 6),
                        ipv4 ? 0 : word(data, at + 24),
                        ipv4 ? ipv4(data, at + 24) : word(data, at + 32));
            }
        });
    }

    /**
     * Passes every connection to a consumer. One that it has received before an error comes again
     * from the caller's second source. The older form of the request covers both address families
     * in one walk over the kernel's table, which is what such a dump costs.
     *
     * @throws RefusedException when the kernel does not respond, or responds with an error
     */
    void connected(Consumer<ConnectedSocket> consumer) throws RefusedException {
        ByteBuffer body = ByteBuffer.allocate(OLD_BODY_BYTES).order(ByteOrder.nativeOrder());
        body.put(0, AF_INET).putInt(OLD_STATES_AT, CONNECTED & ~(1 << 6));
        socket.dump(TCPDIAG_GETSOCK, body.array(), (type, data, at, end) -> {
            if (type == TCPDIAG_GETSOCK && end - at >= RESPONSE_BYTES) {
                byte[] remote = new byte[data.get(at) == AF_INET ? 4 : 16];
                data.get(at + 24, remote);
                consumer.accept(new ConnectedSocket(
                        port(data, at + 4),
                        Endpoint.of(remote, port(data, at + 6)),
                        Integer.toUnsignedLong(data.getInt(at + 68)),
                        data.get(at + 1),
                        data.get(at + 2),
                        Byte.toUnsignedLong(data.get(at + 3)),
                        Integer.toUnsignedLong(data.getInt(at + 60))));
            }
        });
    }

    private void query(int states, int more, NetlinkSocket.MessageHandler handler)
            throws RefusedException {
        for (byte family : new byte[] {AF_INET, AF_INET6}) {
            ByteBuffer body = ByteBuffer.allocate(BODY_BYTES).order(ByteOrder.nativeOrder());
            body.put(0, family).put(1, (byte) 6).put(2, (byte) more).putInt(4, states);
            socket.dump(SOCK_DIAG_BY_FAMILY, body.array(), handler);
        }
    }

    private static ListeningSocket listener(ByteBuffer data, int at, int end) {
        byte[] address = new byte[data.get(at) == AF_INET ? 4 : 16];
        data.get(at + 8, address);
        long queued = Integer.toUnsignedLong(data.getInt(at + 56));
        long limit = Integer.toUnsignedLong(data.getInt(at + 60));
        long inode = Integer.toUnsignedLong(data.getInt(at + 68));
        return new ListeningSocket(
                Endpoint.of(address, port(data, at + 4)),
                inode,
                queued,
                limit,
                drops(data, at + RESPONSE_BYTES, end));
    }

    private static @Nullable Long drops(ByteBuffer data, int from, int end) {
        int at = NetlinkAttributes.find(
                data, from, end, INET_DIAG_SKMEMINFO, 4 * SK_MEMINFO_DROPS + 4);
        return at < 0
                ? null
                : Long.valueOf(Integer.toUnsignedLong(data.getInt(at + 4 * SK_MEMINFO_DROPS)));
    }

    private static int port(ByteBuffer data, int at) {
        return (data.get(at) & 0xff) << 8 | (data.get(at + 1) & 0xff);
    }

    private static long ipv4(ByteBuffer data, int at) {
        return Integer.toUnsignedLong(
                data.order() == ByteOrder.BIG_ENDIAN
                        ? data.getInt(at)
                        : Integer.reverseBytes(data.getInt(at)));
    }

    private static long word(ByteBuffer data, int at) {
        return data.order() == ByteOrder.BIG_ENDIAN
                ? data.getLong(at)
                : Long.reverseBytes(data.getLong(at));
    }

    @Override
    public void close() {
        socket.close();
    }
}
