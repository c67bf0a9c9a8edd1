package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The TCP connections of this network namespace in one reading, by inode. A dump of the kernel's
 * table takes milliseconds on large hosts, so it is made only while a service is in doubt. One
 * thread at a time.
 */
public final class SocketTable {

    /** Most connections kept; the figures of a fuller table are lower bounds. */
    static final int MOST = 50_000;

    /** A send queue from this size on is more than one flight of a usual connection. */
    private static final long FILLED_BYTES = 16 << 10;

    private static final int TIME_WAIT = 6;

    private List<ConnectedSocket> rows = new ArrayList<>();
    private Map<Long, ConnectedSocket> byInode = new HashMap<>();
    private Set<Long> filled = new HashSet<>();
    private Set<Long> filledBefore = Set.of();
    private final Set<Integer> listening = new HashSet<>();
    private final Set<Long> listeners = new HashSet<>();
    private final Set<Long> acceptedByPools = new HashSet<>();

    /**
     * Reads the connections again.
     *
     * @param sockets listening sockets of the same reading: their ports tell clients from backends
     */
    public void read(ListenerTable table, List<ListeningSocket> sockets) {
        rows = new ArrayList<>();
        byInode = new HashMap<>();
        filledBefore = filled;
        filled = new HashSet<>();
        listening.clear();
        listeners.clear();
        acceptedByPools.clear();
        for (ListeningSocket listener : sockets) {
            listening.add(listener.local().port());
            listeners.add(listener.inode());
        }
        table.connected(this::add);
    }

    /**
     * Adds the sockets of pools that listen at Unix sockets.
     *
     * @param paths the paths at which the pools listen
     */
    public void addUnix(ProcFiles proc, Set<String> paths) {
        UnixSocket.forEach(proc, socket -> {
            if (paths.contains(socket.path())) {
                (socket.listening() ? listeners : acceptedByPools).add(socket.inode());
            }
        });
    }

    private void add(ConnectedSocket socket) {
        // Sockets without an inode have no owner any more, or were not accepted yet.
        if (rows.size() < MOST
                && socket.state() != TIME_WAIT
                && socket.inode() != 0
                && byInode.putIfAbsent(socket.inode(), socket) == null) {
            rows.add(socket);
            if (socket.sendQueue() >= FILLED_BYTES) {
                filled.add(socket.inode());
            }
        }
    }

    boolean isListener(long inode) {
        return listeners.contains(inode);
    }

    /** Reports whether a pool accepted this connection at its Unix socket. */
    boolean isAcceptedByPool(long inode) {
        return acceptedByPools.contains(inode);
    }

    /** Returns the connection of an inode; null when the inode is no TCP connection. */
    @Nullable
    ConnectedSocket of(long inode) {
        return byInode.get(inode);
    }

    /** Reports whether the connection was accepted by a listener of this host. */
    boolean isAccepted(ConnectedSocket socket) {
        return listening.contains(socket.localPort());
    }

    /** Returns the connections that programs of this host opened. */
    List<ConnectedSocket> opened() {
        return rows.stream().filter(socket -> !isAccepted(socket)).toList();
    }

    /** A port's accepted connections, and those of them whose data the client does not take. */
    public record Clients(long connections, long blocked) {}

    /** Counts the accepted connections of a port. */
    public Clients clients(int port) {
        long connections = 0;
        long blocked = 0;
        for (ConnectedSocket socket : rows) {
            if (socket.localPort() == port && socket.isEstablished()) {
                connections++;
                blocked += socket.isStuck() || isStillFilled(socket) ? 1 : 0;
            }
        }
        return new Clients(connections, blocked);
    }

    private boolean isStillFilled(ConnectedSocket socket) {
        return socket.sendQueue() >= FILLED_BYTES && filledBefore.contains(socket.inode());
    }

    /** Connections that a server opened: established, without an answer yet, unacknowledged. */
    public record Backends(long established, long connecting, long unacknowledged) {

        /** Returns the sums with the connections of other processes. */
        public Backends plus(Backends other) {
            return new Backends(
                    established + other.established,
                    connecting + other.connecting,
                    unacknowledged + other.unacknowledged);
        }
    }

    /** Counts the connections to given addresses, whichever program of the host opened them. */
    public Backends backends(Set<Endpoint> remotes) {
        return count(opened().stream()
                .filter(socket -> remotes.contains(socket.remote()))
                .toList());
    }

    static Backends count(List<ConnectedSocket> sockets) {
        long established = 0;
        long connecting = 0;
        long unacknowledged = 0;
        for (ConnectedSocket socket : sockets) {
            established += socket.isEstablished() ? 1 : 0;
            connecting += socket.state() == ConnectedSocket.SYN_SENT ? 1 : 0;
            unacknowledged += socket.isEstablished() && socket.isUnacknowledged() ? 1 : 0;
        }
        return new Backends(established, connecting, unacknowledged);
    }

    /**
     * Reads the rows of {@code /proc/net/tcp} or {@code tcp6} that are connections. Malformed rows
     * are skipped.
     */
    static List<ConnectedSocket> parse(String text) {
        List<ConnectedSocket> rows = new ArrayList<>();
        for (String line : text.split("\n")) {
            ConnectedSocket row = parseLine(line.strip().split("\\s+"));
            if (row != null) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static @Nullable ConnectedSocket parseLine(String[] f) {
        if (f.length < 10) {
            return null;
        }
        Endpoint local = ListeningSocket.endpoint(f[1]);
        Endpoint remote = ListeningSocket.endpoint(f[2]);
        long state = DecimalCounters.hex(f[3], 0, f[3].length(), -1);
        int queues = f[4].indexOf(':');
        int timers = f[5].indexOf(':');
        Long inode = DecimalCounters.of(f[9]);
        if (local == null
                || remote == null
                || inode == null
                || queues <= 0
                || timers <= 0
                || state < 0
                || state >= Integer.SIZE
                || (SocketDiagnosis.CONNECTED & 1 << state) == 0) {
            return null;
        }
        return new ConnectedSocket(
                local.port(),
                remote,
                inode,
                (int) state,
                (int) Math.clamp(DecimalCounters.hex(f[5], 0, timers, 0), 0, 255),
                Math.max(0, DecimalCounters.hex(f[6], 0, f[6].length(), 0)),
                Math.max(0, DecimalCounters.hex(f[4], 0, queues, 0)));
    }
}
