package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;

/**
 * The progress in reading an incomplete head. A head that arrives in small pieces is not parsed
 * again for each byte: without this, 32 KB sent one byte at a time would cost half a gigabyte of
 * reading.
 *
 * <p>It follows the grammar just closely enough to recognize bytes that cannot change the result:
 * {@link RequestHead#read} returned INCOMPLETE and would return it again. All other bytes make a
 * parse due, and the parse alone decides.
 *
 * <pre>
 *   METHOD ─ ' ' ─► TARGET ─ ' ' ─► VERSION ─ LF ─► NAME ─ ':' ─► VALUE ─ CR ─► ENDING ─ LF ─► NAME …
 *   due:    no token     no URI          every byte     no token       control      no LF, or the 101st field
 * </pre>
 *
 * Limits of length are noticed when the head has doubled, or is full. So a head of n bytes is
 * parsed about log n + 20 times at most, however it is divided. One event loop owns it.
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

    /**
     * Examines the new bytes.
     *
     * @return whether the head must be parsed now
     */
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
            case NAME ->
                stays(Ascii.token(b)) || moves(hasBytes && b == ':', State.VALUE) || ends(b);
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
     * Handles an empty line, before a head or at its end. It is rare enough to parse everything at
     * each of its bytes.
     */
    private boolean ends(byte b) {
        moves(!hasBytes && b == '\r', State.EMPTY);
        return false;
    }

    private boolean stays(boolean matches) {
        hasBytes |= matches;
        return matches;
    }

    private boolean moves(boolean now, State next) {
        if (now) {
            state = next;
            hasBytes = false;
        }
        return now;
    }
}
