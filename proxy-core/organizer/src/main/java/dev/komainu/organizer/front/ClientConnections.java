package dev.komainu.organizer.front;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.DeadlineLists;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The client connections of one event loop, with their timeouts. It also reports how many of them
 * have a request in progress. Used on the loop only.
 */
final class ClientConnections {

    /** One client connection. */
    interface ClientConnection {

        /** Reports whether a request of this connection is being read or answered. */
        boolean isBusy();

        /**
         * Stops accepting requests: an idle connection closes at once, a busy one after its
         * response.
         */
        void drain();
    }

    private final DeadlineLists idle;
    private final DeadlineLists heads;
    private final DeadlineLists bodies;
    private final Set<ClientConnection> open = new HashSet<>();
    private boolean draining;

    ClientConnections(Duration idleTimeout, Duration headTimeout) {
        idle = new DeadlineLists(idleTimeout.toNanos());
        heads = new DeadlineLists(headTimeout.toNanos());
        bodies = new DeadlineLists(idleTimeout.toNanos());
    }

    /**
     * Sets the timeouts for waits that start from now on. A wait in progress keeps its old timeout.
     */
    void setTimeouts(Duration idleTimeout, Duration headTimeout) {
        idle.set(idleTimeout.toNanos());
        heads.set(headTimeout.toNanos());
        bodies.set(idleTimeout.toNanos());
    }

    /** Expires the waits whose deadline has passed. */
    void expire(long nowNanos) {
        idle.expire(nowNanos);
        heads.expire(nowNanos);
        bodies.expire(nowNanos);
    }

    void startIdleTimeout(DeadlineList.Entry waiting) {
        idle.current().append(waiting, System.nanoTime());
    }

    void startHeadTimeout(DeadlineList.Entry waiting) {
        heads.current().append(waiting, System.nanoTime());
    }

    void startBodyTimeout(DeadlineList.Entry waiting) {
        bodies.current().append(waiting, System.nanoTime());
    }

    void add(ClientConnection connection) {
        open.add(connection);
        if (draining) {
            connection.drain();
        }
    }

    void remove(ClientConnection connection) {
        open.remove(connection);
    }

    /** Returns the number of connections with a request in progress. */
    int busy() {
        return (int) open.stream().filter(ClientConnection::isBusy).count();
    }

    /** Drains every open connection and every connection that is added later. */
    void drain() {
        draining = true;
        List.copyOf(open).forEach(ClientConnection::drain);
    }
}
