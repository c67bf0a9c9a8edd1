package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;

/**
 * A resource with a limit that connections use. One thread reads it several times a second, so a
 * read is cheap: at most tens of microseconds for any number of connections. A value that the
 * system does not report is {@link ResourceUse#UNKNOWN}; no read throws.
 */
public interface LimitedResource {

    /**
     * Returns the reason under which connections closed for this resource are counted; also its
     * name.
     */
    CloseReason reason();

    /** Reports whether closing idle connections of this side frees a part of it. */
    default boolean isFreedBy(ConnectionSide side) {
        return reason().concerns(side);
    }

    /**
     * Reports whether one unit of it is one connection. Otherwise the number of connections to
     * close is unknown, and they close in portions.
     */
    boolean countsConnections();

    ResourceUse read();
}
