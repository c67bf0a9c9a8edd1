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

    private enum State {
        METHOD,
        TARGET,
        VERSION,
        NAME,
        VALUE,
        ENDING,
        EMPTY
    }

    private State state = State.METHOD;
    private int scanned;
    private int lastReadSize;
    private int lines;
    private boolean hasBytes;

    /** Looks at the bytes that are new. @return whether the head must be read now */
    public boolean isDue(ByteBuf in) {
        int size = in.readableBytes();
        int from = in.readerIndex();
        boolean due = size >= 2 * lastReadSize || size >= RequestHead.MAX_BYTES;
        for (int index = scanned; index < size; index++) {
            due |= !passes(in.getByte(from + index));
        }
        scanned = size;
        if (due) {
            lastReadSize = size;
        }
        return due;
    }

    private boolean passes(byte b) {
        return switch (state) {
            case METHOD ->
                stays(Ascii.token(b)) || moves(hasBytes && b == ' ', State.TARGET) || ends(b);
            case TARGET -> stays(Ascii.target(b)) || moves(hasBytes && b == ' ', State.VERSION);
            case NAME -> stays(Ascii.token(b)) || moves(hasBytes && b == ':', State.VALUE) || ends(b);
            case VALUE -> Ascii.value(b) || moves(b == '\r', State.ENDING);
            case ENDING -> moves(b == '\n', State.NAME) && ++lines <= Fields.MAX_FIELDS;
            case VERSION -> {
                moves(b == '\n', State.NAME);
                yield false;
            }
            case EMPTY -> {
                moves(b == '\n', State.METHOD);
                yield false;
            }
        };
    }

    /**
     * An empty line, before a head or at its end: rare enough to read everything at each of its
     * bytes.
     */
    private boolean ends(byte b) {
        moves(!hasBytes && b == '\r', State.EMPTY);
        return false;
    }

    private boolean stays(boolean here) {
        hasBytes |= here;
        return here;
    }

    private boolean moves(boolean now, State next) {
        if (now) {
            state = next;
            hasBytes = false;
        }
        return now;
    }
}
