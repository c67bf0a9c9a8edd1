package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The number of sockets from ephemeral ports to each destination, per local address: the kernel
 * reuses a port only when address, port and destination together are new. Addresses are two words
 * of 64 bits; an IPv4 address is the last 32 bits of its mapped IPv6 form, with the first word 0.
 * One thread at a time.
 */
public final class PortUse {

    /** Last word of {@code ::ffff:0:0/96}: dual-stack sockets report IPv4 in this form. */
    private static final long MAPPED = 0xffff_0000_0000L;

    private final int first;
    private final int last;
    private final Map<Flow, int[]> counts = new HashMap<>();

    private record Flow(
            long localHigh, long localLow, long remoteHigh, long remoteLow, int remotePort) {}

    /**
     * A destination and the number of its sockets.
     *
     * @param sockets sockets from one local address
     */
    public record Busiest(Endpoint remote, int sockets) {}

    /**
     * Creates an empty count.
     *
     * @param first lowest port of the range
     * @param last highest port of the range
     */
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
            Flow flow = new Flow(
                    localHigh,
                    plain(localHigh, localLow),
                    remoteHigh,
                    plain(remoteHigh, remoteLow),
                    remotePort);
            counts.computeIfAbsent(flow, key -> new int[1])[0]++;
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

    /**
     * Returns the destination with the most sockets among {@code remotes}; null when none has any.
     */
    public @Nullable Busiest busiest(Collection<Endpoint> remotes) {
        return remotes.isEmpty() ? null : busiest(remotes::contains);
    }

    /**
     * Returns the destination with the most sockets among those that match; null when none does.
     */
    public @Nullable Busiest busiest(Predicate<Endpoint> filter) {
        Busiest most = null;
        for (Map.Entry<Flow, int[]> entry : counts.entrySet()) {
            int sockets = entry.getValue()[0];
            if (most == null || sockets > most.sockets()) {
                Endpoint remote = remote(entry.getKey());
                if (filter.test(remote)) {
                    most = new Busiest(remote, sockets);
                }
            }
        }
        return most;
    }

    private static Endpoint remote(Flow flow) {
        byte[] address = flow.remoteHigh() == 0 && flow.remoteLow() >>> 32 == 0
                ? ByteBuffer.allocate(4).putInt((int) flow.remoteLow()).array()
                : ByteBuffer.allocate(16)
                        .putLong(flow.remoteHigh())
                        .putLong(flow.remoteLow())
                        .array();
        return Endpoint.of(address, flow.remotePort());
    }
}
