package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many sockets go from ports of the ephemeral range to each destination, by the local address
 * they come from: the kernel gives a port again only where address, port and destination together
 * are new. Addresses are two words of 64 bits, IPv4 as the mapped IPv6 form's last 32 bits with the
 * first word 0. One thread at a time.
 */
public final class PortUse {

    /** Last words of {@code ::ffff:0:0/96}: dual-stack sockets tell IPv4 this way. */
    private static final long MAPPED = 0xffff_0000_0000L;

    private final int first;
    private final int last;
    private final Map<Way, int[]> counts = new HashMap<>();

    private record Way(
            long localHigh, long localLow, long remoteHigh, long remoteLow, int remotePort) {}

    /**
     * A destination and how many sockets go there.
     *
     * @param sockets from one local address
     */
    public record Busiest(Endpoint remote, int sockets) {}

    /** @param first lowest port of the range, {@code last} its highest */
    public PortUse(int first, int last) {
        this.first = first;
        this.last = last;
    }

    void add(
            int localPort,
            long localHigh,
            long localLow,
            int remotePort,
            long remoteHigh,
            long remoteLow) {
        if (localPort >= first && localPort <= last) {
            Way way = new Way(
                    localHigh,
                    plain(localHigh, localLow),
                    remoteHigh,
                    plain(remoteHigh, remoteLow),
                    remotePort);
            counts.computeIfAbsent(way, key -> new int[1])[0]++;
        }
    }

    private static long plain(long high, long low) {
        return high == 0 && (low & ~0xffff_ffffL) == MAPPED ? low & 0xffff_ffffL : low;
    }

    /** Counts the rows of {@code /proc/net/tcp} or {@code tcp6} that are connections. */
    void add(String text) {
        for (String line : text.split("\n")) {
            String[] f = line.strip().split("\\s+", 5);
            long state = f.length < 5 ? -1 : DecimalCounters.hex(f[3], 0, f[3].length(), -1);
            Endpoint local = f.length < 5 ? null : ListeningSocket.endpoint(f[1]);
            Endpoint remote = f.length < 5 ? null : ListeningSocket.endpoint(f[2]);
            if (local != null
                    && remote != null
                    && state >= 0
                    && state < Integer.SIZE
                    && (SocketDiagnosis.CONNECTED & 1 << state) != 0) {
                long[] from = words(local);
                long[] to = words(remote);
                add(local.port(), from[0], from[1], remote.port(), to[0], to[1]);
            }
        }
    }

    private static long[] words(Endpoint endpoint) {
        ByteBuffer bytes = ByteBuffer.wrap(endpoint.address().getAddress());
        return bytes.limit() == 4
                ? new long[] {0, Integer.toUnsignedLong(bytes.getInt())}
                : new long[] {bytes.getLong(), bytes.getLong()};
    }

    /** The destination among {@code wanted} with the most sockets; null when none goes there. */
    public @Nullable Busiest busiest(Collection<Endpoint> wanted) {
        return wanted.isEmpty() ? null : busiest(wanted::contains);
    }

    /** The destination that passes with the most sockets; null when none does. */
    public @Nullable Busiest busiest(Predicate<Endpoint> wanted) {
        Busiest most = null;
        for (Map.Entry<Way, int[]> entry : counts.entrySet()) {
            int sockets = entry.getValue()[0];
            if (most == null || sockets > most.sockets()) {
                Endpoint remote = remote(entry.getKey());
                if (wanted.test(remote)) {
                    most = new Busiest(remote, sockets);
                }
            }
        }
        return most;
    }

    private static Endpoint remote(Way way) {
        byte[] address = way.remoteHigh() == 0 && way.remoteLow() >>> 32 == 0
                ? ByteBuffer.allocate(4).putInt((int) way.remoteLow()).array()
                : ByteBuffer.allocate(16)
                        .putLong(way.remoteHigh())
                        .putLong(way.remoteLow())
                        .array();
        return Endpoint.of(address, way.remotePort());
    }
}
