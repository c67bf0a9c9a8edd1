package dev.komainu.organizer.line;

/**
 * The room of a stream for bytes that its owner gives and that did not go on yet: {@value #BYTES}.
 * Whoever filled it is told when half of it is empty again, so that he comes seldom and the
 * connection always finds a next frame until he does. On the stream's event loop.
 */
public final class SendWindow {

    /** Under way at most, and the part that crosses this. */
    public static final int BYTES = 256 << 10;

    private int underway;
    private boolean wasFull;

    /** Bytes were given; more than there is room for, if need be. */
    public void took(int bytes) {
        underway += bytes;
        wasFull |= underway >= BYTES;
    }

    /** Whether more should be given. */
    public boolean isThere() {
        return underway < BYTES;
    }

    /**
     * Bytes went on, or nowhere.
     *
     * @return whether who gives is to be told now: it was full, and has fallen to its half; once
     *     each time
     */
    public boolean passedOn(int bytes) {
        underway -= bytes;
        boolean isDue = wasFull && underway <= BYTES / 2;
        wasFull &= !isDue;
        return isDue;
    }
}
