package dev.komainu.intermediary.message;

/**
 * The parser of chunk extensions (RFC 9112 section 7.1.1), one byte at a time. Extensions are
 * validated, then discarded: no extension is known here, and an unknown one must be ignored.
 *
 * <pre>
 *   ;  NAME [ = ( VALUE | "QUOTED" ) ]  ; …  CR
 * </pre>
 *
 * Recipients differ about the end of the line when a quoted string is still open there (request
 * smuggling), so the whole grammar is enforced. Of the "bad whitespace" that recipients may accept,
 * only that behind a semicolon is accepted.
 */
final class ChunkExtension {

    /**
     * Bytes of extensions beyond the bytes of chunk data, at most. It stops a sender of extensions
     * without data.
     */
    private static final int MAX_BYTES = 1024;

    private enum State {
        BEFORE_NAME,
        NAME,
        BEFORE_VALUE,
        VALUE,
        QUOTED,
        ESCAPED,
        AFTER_QUOTED
    }

    private State state = State.BEFORE_NAME;
    private long excessBytes;

    /** Prepares for a new body. */
    void reset() {
        excessBytes = 0;
    }

    /** Begins an extension: a semicolon follows the size. */
    void begin() {
        state = State.BEFORE_NAME;
    }

    /**
     * Records the size of a chunk when its line has ended: its data offset as many bytes of
     * extensions.
     */
    void dataAnnounced(long dataBytes) {
        excessBytes = Math.max(0, excessBytes - dataBytes);
    }

    /** Reports whether the line may end here. */
    boolean mayEnd() {
        return state == State.NAME || state == State.VALUE || state == State.AFTER_QUOTED;
    }

    /**
     * Reads the next byte.
     *
     * @return false when this byte is not permitted here
     */
    boolean take(byte b) {
        if (++excessBytes > MAX_BYTES) {
            return false;
        }
        switch (state) {
            case BEFORE_NAME -> {
                if (b != ' ' && b != '\t') {
                    state = State.NAME;
                    return Ascii.token(b);
                }
            }
            case NAME, VALUE -> {
                if (b == ';') {
                    state = State.BEFORE_NAME;
                } else if (b == '=' && state == State.NAME) {
                    state = State.BEFORE_VALUE;
                } else {
                    return Ascii.token(b);
                }
            }
            case BEFORE_VALUE -> {
                state = b == '"' ? State.QUOTED : State.VALUE;
                return b == '"' || Ascii.token(b);
            }
            case QUOTED -> {
                state = b == '"' ? State.AFTER_QUOTED : b == '\\' ? State.ESCAPED : State.QUOTED;
                return Ascii.value(b);
            }
            case ESCAPED -> {
                state = State.QUOTED;
                return Ascii.value(b);
            }
            case AFTER_QUOTED -> {
                state = State.BEFORE_NAME;
                return b == ';';
            }
        }
        return true;
    }
}
