package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A TCP socket in LISTEN.
 *
 * @param local the address it listens on; {@code 0.0.0.0} or {@code [::]} for every address
 * @param inode the socket's identity among the descriptors of processes
 * @param queued connections established but not yet accepted
 * @param limit maximum of such connections, min(backlog, somaxconn); absent when only
 *     {@code net/tcp} could be read
 * @param drops SYNs and final ACKs of handshakes dropped since it listens, mainly because the queue
 *     was full (kernel: tcp_listendrop); absent when only {@code net/tcp} could be read
 */
public record ListeningSocket(
        Endpoint local,
        long inode,
        long queued,
        @Nullable Long limit,
        @Nullable Long drops) {

    /** The state column of a listening socket. */
    private static final String LISTEN = "0A";

    /**
     * Reads {@code /proc/net/tcp} or {@code tcp6}; rows in other states are skipped.
     *
     * <pre>
     *   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
     *    0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 487 …
     * </pre>
     *
     * rx_queue of a listener is its accept queue (kernel: net/ipv4/tcp_ipv4.c, get_tcp4_sock).
     */
    public static List<ListeningSocket> parse(String text) {
        List<ListeningSocket> rows = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] f = line.strip().split("\\s+");
            if (f.length < 10 || !f[3].equals(LISTEN)) {
                continue;
            }
            Endpoint local = endpoint(f[1]);
            int colon = f[4].indexOf(':');
            long queued = DecimalCounters.hex(f[4], colon + 1, f[4].length(), -1);
            Long inode = DecimalCounters.of(f[9]);
            if (local != null && colon > 0 && queued >= 0 && inode != null) {
                rows.add(new ListeningSocket(local, inode, queued, null, null));
            }
        }
        return rows;
    }

    /**
     * Reports whether more listeners may follow in {@code net/tcp} after the bytes already read.
     * Listeners come first in the file, so the first row in another state is the end of them.
     */
    static boolean mayFollow(byte[] buffer, int newFrom, int length) {
        int end = previousLineBreak(buffer, length - 1);
        int start = previousLineBreak(buffer, end - 1) + 1;
        if (end <= start) {
            return true;
        }
        String line = new String(buffer, start, end - start, StandardCharsets.ISO_8859_1);
        String[] f = line.strip().split("\\s+", 5);
        return f.length < 5 || !f[0].endsWith(":") || f[3].equals(LISTEN);
    }

    private static int previousLineBreak(byte[] buffer, int from) {
        int i = from;
        while (i >= 0 && buffer[i] != '\n') {
            i--;
        }
        return i;
    }

    /** Parses {@code 0100007F:1F90}: words of four bytes in the machine's order, then the port. */
    static @Nullable Endpoint endpoint(String text) {
        int colon = text.indexOf(':');
        if (colon != 8 && colon != 32) {
            return null;
        }
        boolean littleEndian = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        byte[] address = new byte[colon / 2];
        for (int i = 0; i < address.length; i++) {
            long value = DecimalCounters.hex(text, i * 2, i * 2 + 2, -1);
            if (value < 0) {
                return null;
            }
            address[littleEndian ? (i & ~3) + 3 - (i & 3) : i] = (byte) value;
        }
        long port = DecimalCounters.hex(text, colon + 1, text.length(), -1);
        return port < 0 || port > 65_535 ? null : Endpoint.of(address, (int) port);
    }
}
