package dev.komainu.agent.connection.exchange;

/** Result of reading a piece of a stream. */
public enum ReadResult {
    READ,
    /** Not the expected protocol, or a hole where none may be. */
    LOST,
    /** The rest is not HTTP (101 or an accepted CONNECT). */
    TUNNEL
}
