package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.IdleList;
import java.util.concurrent.Executor;

/**
 * One event loop with its idle connections, as other loops and the {@link ResourceMonitor} use it.
 */
public interface IdleLoop {

    /**
     * Returns the executor on which all methods below except {@link IdleList#oldestAgeNanos} are
     * called.
     */
    Executor loop();

    IdleList idle(ConnectionSide side);

    /** Returns the clients that have sent nothing yet. */
    SilentClients silent();

    /**
     * Signals that a new client waits: the loop closes its longest idle connection as soon as there
     * is one.
     */
    void giveWay();

    /**
     * Closes connections that are idle since this time or longer, a few in each turn of the loop,
     * so that others do not wait.
     */
    void reclaim(ConnectionSide side, long sinceNanos, CloseReason why);
}
