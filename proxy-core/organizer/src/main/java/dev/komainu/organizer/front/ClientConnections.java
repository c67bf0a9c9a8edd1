package dev.komainu.organizer.front;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.DeadlineLists;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The clients' connections of one event loop: until when each is waited for, and which have a
 * request under way. On the loop.
 */
final class ClientConnections {

    /** One of them. */
    interface ClientConnection {

        /** Whether a request of it is being read or answered. */
        boolean isBusy();

        /**
         * No further request is taken: an idle connection closes at once, another one behind its
         * answer.
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

    /** From now on newcomers are waited for so long; who waits already keeps the time it had. */
    void waits(Duration idleTimeout, Duration headTimeout) {
        idle.set(idleTimeout.toNanos());
        heads.set(headTimeout.toNanos());
        bodies.set(idleTimeout.toNanos());
    }

    /** Ends the waits whose time has come. */
    void expire(long nowNanos) {
        idle.expire(nowNanos);
        heads.expire(nowNanos);
        bodies.expire(nowNanos);
    }

    void waitsIdle(DeadlineList.Entry who) {
        idle.current().append(who, System.nanoTime());
    }

    void waitsHead(DeadlineList.Entry who) {
        heads.current().append(who, System.nanoTime());
    }

    void waitsBody(DeadlineList.Entry who) {
        bodies.current().append(who, System.nanoTime());
    }

    void opened(ClientConnection connection) {
        open.add(connection);
        if (draining) {
            connection.drain();
        }
    }

    void closed(ClientConnection connection) {
        open.remove(connection);
    }

    /** How many have a request under way. */
    int busy() {
        return (int) open.stream().filter(ClientConnection::isBusy).count();
    }

    /** From now on none takes a further request. */
    void drain() {
        draining = true;
        List.copyOf(open).forEach(ClientConnection::drain);
    }
}
