package dev.komainu.organizer.line.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Whose turn it is to send on a connection: control before all, then by urgency (RFC 9218), then
 * who has least left; equals take turns.
 *
 * <p>Lengths fall into classes, so that a look costs one bit search and nobody is sorted. One turn
 * in {@value #TURN} is for the places behind the first, one after the other, whatever is urgent:
 * large ones are slowed, never starved; control gives none up. On the connection's event loop.
 *
 * @param <S> what sends
 */
public final class SendScheduler<S> {

    static final int TURN = 8;

    /** Bytes of a body that one turn sends at most. */
    public static final int FRAME = 16_384;
    /** Bytes of a connection's window that are for control alone. */
    public static final int RESERVED = 16_384;

    /** Upper ends of the classes of length; the last is open. */
    private static final long[] CLASSES = {
        16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, Long.MAX_VALUE
    };

    /** By rank, then class; a bit of {@link #waiting} each that holds somebody. */
    private final List<Deque<S>> queues = new ArrayList<>();

    private long waiting;
    private int given;
    private int lastTurn;

    public SendScheduler() {
        for (int i = 0; i < SendPriority.RANKS * CLASSES.length; i++) {
            queues.add(new ArrayDeque<>(0));
        }
    }

    /**
     * Waits from now on.
     *
     * @param rank as {@link SendPriority} knows it
     * @param length of all it sends, in bytes; -1: nobody knows, then what was sent counts as what
     *     is left
     * @param sent of these
     * @return its place
     */
    public int add(S who, int rank, long length, long sent) {
        long counts = length < 0 ? sent + 1 : Math.max(length - sent, 0);
        int size = 0;
        while (counts > CLASSES[size]) {
            size++;
        }
        int at = rank * CLASSES.length + size;
        queues.get(at).add(who);
        waiting |= 1L << at;
        return at;
    }

    /** Waits no more. */
    public void remove(S who, int place) {
        Deque<S> queue = queues.get(place);
        queue.remove(who);
        if (queue.isEmpty()) {
            waiting &= ~(1L << place);
        }
    }

    public boolean isEmpty() {
        return waiting == 0;
    }

    public static boolean isControl(int place) {
        return place < CLASSES.length;
    }

    private static long controlMask() {
        return (1L << CLASSES.length) - 1;
    }

    /** The place whose turn it is. Only when somebody waits. */
    public int next() {
        long behindFirst = waiting & (waiting - 1);
        boolean isTheirTurn = given % TURN == TURN - 1 && (waiting & controlMask()) == 0;
        if (!isTheirTurn || behindFirst == 0) {
            return Long.numberOfTrailingZeros(waiting);
        }
        long behindLast = lastTurn >= 63 ? 0 : behindFirst & (-1L << (lastTurn + 1));
        lastTurn = Long.numberOfTrailingZeros(behindLast != 0 ? behindLast : behindFirst);
        return lastTurn;
    }

    /** Takes out the first at a place. */
    public S poll(int place) {
        Deque<S> queue = queues.get(place);
        S who = queue.remove();
        if (queue.isEmpty()) {
            waiting &= ~(1L << place);
        }
        return who;
    }

    /** It could not send after all: it is the first at its place again. */
    public void putBack(S who, int place) {
        queues.get(place).addFirst(who);
        waiting |= 1L << place;
    }

    /** A turn was used. */
    public void used() {
        given++;
    }
}
