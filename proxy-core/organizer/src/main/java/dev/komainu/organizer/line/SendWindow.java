package dev.komainu.organizer.line;

/**
 * The limit of bytes that a stream's writer has given and that are not sent yet: {@value #BYTES}.
 * When the window was full, the writer is notified at half of it. So the writer is called seldom,
 * and the connection always finds a next frame until then. On the stream's event loop.
 */
public final class SendWindow {

    /**
     * Pending bytes at which the window is full. The chunk that crosses the limit is accepted
     * whole.
     */
    public static final int BYTES = 256 << 10;

    private int pendingBytes;
    private boolean wasFull;

    /** Adds bytes that the writer gave, also when they exceed the limit. */
    public void took(int bytes) {
        pendingBytes += bytes;
        wasFull |= pendingBytes >= BYTES;
    }

    /** Returns whether the writer should give more bytes. */
    public boolean isThere() {
        return pendingBytes < BYTES;
    }

    /**
     * Removes bytes that were sent or discarded.
     *
     * @return whether the writer must be notified now: the window was full, and has fallen to its
     *     half. True once each time
     */
    public boolean passedOn(int bytes) {
        pendingBytes -= bytes;
        boolean isDue = wasFull && pendingBytes <= BYTES / 2;
        wasFull &= !isDue;
        return isDue;
    }
}
