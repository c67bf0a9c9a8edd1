package dev.komainu.telemetry.wire;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that are no batch, or a line that is no record. Invalid input is expected: the message
 * contains the position and the expected value, and is meant for the sender's log. The same bytes
 * always give the same result.
 */
public final class MalformedBatchException extends Exception {

    private static final long serialVersionUID = 1;

    private MalformedBatchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Creates an exception for a byte position.
     *
     * @param offset byte of the decompressed batch, from 0
     */
    static MalformedBatchException atByte(long offset, String what) {
        return new MalformedBatchException("Malformed batch at byte " + offset + ": " + what, null);
    }

    /**
     * Creates an exception for compressed bytes that could not be expanded, which have no inner
     * position.
     */
    static MalformedBatchException whole(String what) {
        return new MalformedBatchException("Malformed batch: " + what, null);
    }

    /**
     * Creates an exception for a position in text.
     *
     * @param line from 1
     * @param column from 1
     */
    static MalformedBatchException atLine(long line, long column, String what) {
        return new MalformedBatchException(
                "Malformed record at line " + line + ", column " + column + ": " + what, null);
    }
}
