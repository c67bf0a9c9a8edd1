package dev.komainu.agent.host;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server whose processes and listen queue are sampled.
 *
 * @param service its id
 * @param processId the process at the top of its tree; absent when nobody could be found behind the socket
 * @param port where it listens
 * @param sockets inodes of its listening sockets
 */
public record WatchedServer(String service, @Nullable Long processId, int port, List<Long> sockets) {

    public WatchedServer {
        sockets = List.copyOf(sockets);
    }
}
