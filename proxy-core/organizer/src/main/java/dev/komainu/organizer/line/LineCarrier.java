package dev.komainu.organizer.line;

import java.util.Locale;

/** What a line runs over. */
public enum LineCarrier {
    /** HTTP/2 over TCP. */
    TCP,
    /**
     * QUIC, where this machine has the library and the line has TLS; TCP beside it as long as QUIC
     * cannot be had.
     */
    QUIC,
    /** TCP, and QUIC while the path to the peer loses packets. */
    AUTO;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
