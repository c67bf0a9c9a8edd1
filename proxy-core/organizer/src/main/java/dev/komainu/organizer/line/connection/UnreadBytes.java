package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.LineSettings;

/**
 * Bytes that a connection received and no reader has consumed yet. Above half of
 * {@link LineSettings#heldBytes} the windows of its streams are small, until it falls to an eighth.
 * On the connection's loop.
 */
public final class UnreadBytes {

    /** Window of a stream while the connection is above the limit. */
    public static final int THRIFTY_WINDOW = 65_535;

    private final LineSettings settings;
    private long bytes;
    private boolean isThrifty;

    public UnreadBytes(LineSettings settings) {
        this.settings = settings;
    }

    /** Returns the number of unread bytes. */
    public long bytes() {
        return bytes;
    }

    public boolean isThrifty() {
        return isThrifty;
    }

    /** Returns the bytes that a stream's peer may send before some of them are consumed. */
    public int window() {
        return isThrifty ? THRIFTY_WINDOW : settings.streamWindowBytes();
    }

    /**
     * Adds or removes bytes.
     *
     * @param more negative: bytes that were consumed or discarded
     * @return whether the window has changed
     */
    public boolean add(long more) {
        bytes += more;
        boolean wasThrifty = isThrifty;
        isThrifty = isThrifty ? bytes > settings.heldBytes() / 8 : bytes > settings.heldBytes() / 2;
        return isThrifty != wasThrifty;
    }
}
