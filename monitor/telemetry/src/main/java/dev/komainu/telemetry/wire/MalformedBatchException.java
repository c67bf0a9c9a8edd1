package dev.komainu.telemetry.wire;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that are no batch, or a line that is no record. Bad input is ordinary: the message tells
 * the place and what was expected, and is meant for the sender's log. Sending the same bytes again
 * gives the same answer.
 */
public final class MalformedBatchException extends Exception {

    private static final long serialVersionUID = 1;

    private MalformedBatchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** @param offset byte of the decompressed batch, from 0 */
    static MalformedBatchException atByte(long offset, String what) {
        return new MalformedBatchException("Malformed batch at byte " + offset + ": " + what, null);
    }

    /** Compressed bytes that could not be unfolded have no inner position yet. */
    static MalformedBatchException whole(String what) {
        return new MalformedBatchException("Malformed batch: " + what, null);
    }

    /**
     * @param line from 1
     * @param column from 1
     */
    static MalformedBatchException atLine(long line, long column, String what) {
        return new MalformedBatchException(
                "Malformed record at line " + line + ", column " + column + ": " + what, null);
    }
}
