package dev.komainu.organizer.line;

import java.util.Locale;

/** The transport protocol of a line. */
public enum LineCarrier {
    /** HTTP/2 over TCP. */
    TCP,
    /**
     * QUIC, where this machine has the library and the line has TLS; TCP as long as QUIC is not
     * available.
     */
    QUIC,
    /** TCP, and QUIC while the path to the peer loses packets. */
    AUTO;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
