package dev.komainu.agent.host;

import dev.komainu.telemetry.record.Endpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server whose processes and listen queue are sampled.
 *
 * @param service its id
 * @param processId the process at the top of its tree; absent when nobody could be found behind the
 *     socket
 * @param port where it listens
 * @param sockets inodes of its listening sockets
 * @param fetches whether it connects to others to answer: a proxy
 * @param behind whom, where every one is known by address; empty where not
 */
public record WatchedServer(
        String service,
        @Nullable Long processId,
        int port,
        List<Long> sockets,
        boolean fetches,
        List<Endpoint> behind) {

    public WatchedServer {
        sockets = List.copyOf(sockets);
        behind = List.copyOf(behind);
    }

    /** One that fetches from nobody. */
    public WatchedServer(String service, @Nullable Long processId, int port, List<Long> sockets) {
        this(service, processId, port, sockets, false, List.of());
    }
}
