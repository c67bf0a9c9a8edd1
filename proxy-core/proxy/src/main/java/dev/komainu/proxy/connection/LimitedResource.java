package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;

/**
 * Something that connections use up. Read by one thread, several times a second, so reading is
 * cheap: tens of microseconds at most, whatever the number of connections. What the system does not
 * tell is {@link ResourceUse#UNKNOWN}; nothing is thrown.
 */
public interface LimitedResource {

    /** What a connection closed for the lack of it is counted as; also its name. */
    CloseReason ending();

    /** Whether closing idle connections of this side gives some of it back. */
    default boolean isFreedBy(ConnectionSide side) {
        return ending().concerns(side);
    }

    /**
     * Whether one of its units is one connection; else nobody knows how many to close, and they go
     * in portions.
     */
    boolean countsConnections();

    ResourceUse read();
}
