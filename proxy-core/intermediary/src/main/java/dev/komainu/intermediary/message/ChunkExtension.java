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

    private enum Place {
        BEFORE_NAME,
        NAME,
        BEFORE_VALUE,
        VALUE,
        QUOTED,
        ESCAPED,
        AFTER_QUOTED
    }

    private Place place = Place.BEFORE_NAME;
    private long unpaid;

    /** A body begins. */
    void reset() {
        unpaid = 0;
    }

    /** A semicolon follows the size. */
    void begin() {
        place = Place.BEFORE_NAME;
    }

    /** The chunk's size line ended; its data outweighs as many bytes of extensions. */
    void paidBy(long dataBytes) {
        unpaid = Math.max(0, unpaid - dataBytes);
    }

    /** Whether the line may end here. */
    boolean mayEnd() {
        return place == Place.NAME || place == Place.VALUE || place == Place.AFTER_QUOTED;
    }

    /** @return false when this byte cannot stand here */
    boolean take(byte b) {
        if (++unpaid > MAX_BYTES) {
            return false;
        }
        switch (place) {
            case BEFORE_NAME -> {
                if (b != ' ' && b != '\t') {
                    place = Place.NAME;
                    return Ascii.token(b);
                }
            }
            case NAME, VALUE -> {
                if (b == ';') {
                    place = Place.BEFORE_NAME;
                } else if (b == '=' && place == Place.NAME) {
                    place = Place.BEFORE_VALUE;
                } else {
                    return Ascii.token(b);
                }
            }
            case BEFORE_VALUE -> {
                place = b == '"' ? Place.QUOTED : Place.VALUE;
                return b == '"' || Ascii.token(b);
            }
            case QUOTED -> {
                place = b == '"' ? Place.AFTER_QUOTED : b == '\\' ? Place.ESCAPED : Place.QUOTED;
                return Ascii.value(b);
            }
            case ESCAPED -> {
                place = Place.QUOTED;
                return Ascii.value(b);
            }
            case AFTER_QUOTED -> {
                place = Place.BEFORE_NAME;
                return b == ';';
            }
        }
        return true;
    }
}
