package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections between a server and its application pools, seen from one of their process trees.
 * Both sides count as one server, so a wait for the other side is no wait for a client or a
 * backend.
 *
 * @param fromServer ports at which the processes accept the server's connections
 * @param toPools addresses of pools to which the processes connect
 * @param toUnixPools whether the processes connect to pools at Unix sockets. The connecting side
 *     has no path, so each Unix socket of these processes counts as such a connection
 */
public record PoolConnections(Set<Integer> fromServer, Set<Endpoint> toPools, boolean toUnixPools) {

    /** A server without pools. */
    public static final PoolConnections NONE = new PoolConnections(Set.of(), Set.of(), false);

    public PoolConnections {
        fromServer = Set.copyOf(fromServer);
        toPools = Set.copyOf(toPools);
    }

    /** Reports whether the processes connect to a pool by this socket. */
    boolean leadsToPool(@Nullable ConnectedSocket socket) {
        return socket == null ? toUnixPools : toPools.contains(socket.remote());
    }
}
