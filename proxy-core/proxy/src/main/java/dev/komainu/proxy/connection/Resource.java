package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.Ending;
import dev.komainu.intermediary.connection.Side;

/**
 * Something that connections use up. Read by one thread, several times a second, so reading is cheap: tens of
 * microseconds at most, whatever the number of connections. What the system does not tell is
 * {@link Reading#UNKNOWN}; nothing is thrown.
 */
public interface Resource {

    /** What a connection closed for the lack of it is counted as; also its name. */
    Ending ending();

    /** Whether closing idle connections of this side gives some of it back. */
    default boolean isFreedBy(Side side) {
        return ending().concerns(side);
    }

    /** Whether one of its units is one connection; else nobody knows how many to close, and they go in portions. */
    boolean countsConnections();

    Reading read();
}
