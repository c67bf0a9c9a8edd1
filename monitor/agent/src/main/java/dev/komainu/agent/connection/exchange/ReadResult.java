package dev.komainu.agent.connection.exchange;

/** How the reading of a piece of a stream went. */
public enum ReadResult {
    READ,
    /** Not the protocol expected, or a hole where none may be. */
    LOST,
    /** What follows is no HTTP (101 or an answered CONNECT). */
    TUNNEL
}
