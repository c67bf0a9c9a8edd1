package dev.komainu.intermediary.message;

/**
 * What may follow a chunk's size (RFC 9112 section 7.1.1), one byte at a time: checked, then
 * dropped, because no extension is known here and an unknown one must be ignored.
 *
 * <pre>
 *   ;  NAME [ = ( VALUE | "QUOTED" ) ]  ; …  CR
 * </pre>
 *
 * A quoted string left open at the end of its line is where readers differ about the line's end
 * (request smuggling), so the whole grammar is held. Of the "bad whitespace" that recipients may
 * forgive, only that behind a semicolon is.
 */
final class ChunkExtension {

    /**
     * Bytes of extensions that no chunk data outweighs; a sender of nothing but extensions is cut
     * off there.
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

    /** A body begins. */
    void reset() {
        excessBytes = 0;
    }

    /** A semicolon follows the size. */
    void begin() {
        state = State.BEFORE_NAME;
    }

    /** The chunk's size line ended; its data outweighs as many bytes of extensions. */
    void dataAnnounced(long dataBytes) {
        excessBytes = Math.max(0, excessBytes - dataBytes);
    }

    /** Whether the line may end here. */
    boolean mayEnd() {
        return state == State.NAME || state == State.VALUE || state == State.AFTER_QUOTED;
    }

    /** @return false when this byte cannot stand here */
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
