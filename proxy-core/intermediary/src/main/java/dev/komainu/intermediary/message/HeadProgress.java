package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;

/**
 * How far a head that is not complete was looked at, so that one that drips in is not read anew for
 * each byte: without this, 32 KB sent a byte at a time would cost half a gigabyte of reading.
 *
 * <p>It follows the grammar just closely enough to know which bytes can change nothing:
 * {@link RequestHead#read} said INCOMPLETE and would say so again. All others make a reading due,
 * and it alone decides.
 *
 * <pre>
 *   METHOD ─ ' ' ─► TARGET ─ ' ' ─► VERSION ─ LF ─► NAME ─ ':' ─► VALUE ─ CR ─► ENDING ─ LF ─► NAME …
 *   due:    no token     no URI          every byte     no token       control      no LF, or the 101st field
 * </pre>
 *
 * Limits of length are noticed when the head has doubled, or is full. So a head of n bytes is read
 * about log n + 20 times at most, however it is cut. One event loop owns it.
 */
public final class HeadProgress {

    private enum Place {
        METHOD,
        TARGET,
        VERSION,
        NAME,
        VALUE,
        ENDING,
        EMPTY
    }

    private Place place = Place.METHOD;
    private int seen;
    private int read;
    private int lines;
    private boolean begun;

    /** Looks at the bytes that are new. @return whether the head must be read now */
    public boolean isDue(ByteBuf in) {
        int size = in.readableBytes();
        int from = in.readerIndex();
        boolean due = size >= 2 * read || size >= RequestHead.MAX_BYTES;
        for (int at = seen; at < size; at++) {
            due |= !passes(in.getByte(from + at));
        }
        seen = size;
        if (due) {
            read = size;
        }
        return due;
    }

    private boolean passes(byte b) {
        return switch (place) {
            case METHOD ->
                stays(Ascii.token(b)) || turns(begun && b == ' ', Place.TARGET) || ends(b);
            case TARGET -> stays(Ascii.target(b)) || turns(begun && b == ' ', Place.VERSION);
            case NAME -> stays(Ascii.token(b)) || turns(begun && b == ':', Place.VALUE) || ends(b);
            case VALUE -> Ascii.value(b) || turns(b == '\r', Place.ENDING);
            case ENDING -> turns(b == '\n', Place.NAME) && ++lines <= Fields.MAX_FIELDS;
            case VERSION -> {
                turns(b == '\n', Place.NAME);
                yield false;
            }
            case EMPTY -> {
                turns(b == '\n', Place.METHOD);
                yield false;
            }
        };
    }

    /**
     * An empty line, before a head or at its end: rare enough to read everything at each of its
     * bytes.
     */
    private boolean ends(byte b) {
        turns(!begun && b == '\r', Place.EMPTY);
        return false;
    }

    private boolean stays(boolean here) {
        begun |= here;
        return here;
    }

    private boolean turns(boolean now, Place next) {
        if (now) {
            place = next;
            begun = false;
        }
        return now;
    }
}
