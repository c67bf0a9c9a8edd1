package dev.komainu.agent.host;

import dev.komainu.telemetry.record.Endpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server whose processes and listen queue are sampled.
 *
 * @param service its id
 * @param processId the top process of its tree; absent when no process was found behind the socket
 * @param port the port it listens on
 * @param sockets inodes of its listening sockets
 * @param fetches whether it connects to upstream servers: a proxy
 * @param upstreams the addresses of its upstream servers; empty when any of them is unknown
 * @param pools the application pools of this host that work for it; a pool that listens at several
 *     places is listed once for each
 */
public record WatchedServer(
        String service,
        @Nullable Long processId,
        int port,
        List<Long> sockets,
        boolean fetches,
        List<Endpoint> upstreams,
        List<ApplicationPool> pools) {

    public WatchedServer {
        sockets = List.copyOf(sockets);
        upstreams = List.copyOf(upstreams);
        pools = List.copyOf(pools);
    }

    /** Creates a server without pools. */
    public WatchedServer(
            String service,
            @Nullable Long processId,
            int port,
            List<Long> sockets,
            boolean fetches,
            List<Endpoint> upstreams) {
        this(service, processId, port, sockets, fetches, upstreams, List.of());
    }

    /** Creates a server without upstreams. */
    public WatchedServer(String service, @Nullable Long processId, int port, List<Long> sockets) {
        this(service, processId, port, sockets, false, List.of());
    }
}
