package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.IdleList;
import java.util.concurrent.Executor;

/**
 * One event loop with its idle connections, as other loops and the {@link ResourceMonitor} see it.
 */
public interface IdleLoop {

    /** Where everything below but {@link IdleList#oldestAgeNanos} is called. */
    Executor loop();

    IdleList idle(ConnectionSide side);

    /** Its clients that have said nothing yet. */
    SilentClients silent();

    /** A newcomer waits for a place: whose is longest unused gives it, as soon as there is one. */
    void giveWay();

    /**
     * Closes who is idle since then or longer, a few in each turn of the loop, so that nobody else
     * waits for it.
     */
    void reclaim(ConnectionSide side, long sinceNanos, CloseReason why);
}
