package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.LineSettings;

/**
 * Bytes that came over a connection, and that no reader has taken yet. From half of
 * {@link LineSettings#heldBytes} on its streams' windows are small, until it is down to an eighth.
 * On the connection's loop.
 */
public final class UnreadBytes {

    /** A stream's, while the connection is thrifty. */
    public static final int THRIFTY_WINDOW = 65_535;

    private final LineSettings settings;
    private long bytes;
    private boolean isThrifty;

    public UnreadBytes(LineSettings settings) {
        this.settings = settings;
    }

    public long bytes() {
        return bytes;
    }

    public boolean isThrifty() {
        return isThrifty;
    }

    /** What a stream's peer may send before some of it is taken. */
    public int window() {
        return isThrifty ? THRIFTY_WINDOW : settings.streamWindowBytes();
    }

    /** @param more less than 0: taken, or thrown away; @return whether the window is another now */
    public boolean grew(long more) {
        bytes += more;
        boolean before = isThrifty;
        isThrifty = isThrifty ? bytes > settings.heldBytes() / 8 : bytes > settings.heldBytes() / 2;
        return isThrifty != before;
    }
}
