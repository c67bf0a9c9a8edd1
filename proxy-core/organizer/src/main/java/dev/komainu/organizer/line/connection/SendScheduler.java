package dev.komainu.organizer.line.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The order in which the streams of a connection send: control first, then by urgency (RFC 9218),
 * then the stream with the fewest bytes left; equal streams take turns.
 *
 * <p>Lengths fall into classes, so that a decision costs one bit search and no sorting. One turn in
 * {@value #TURN} goes to the queues behind the first, in rotation, regardless of urgency: large
 * objects are slowed, never starved. Control gives up no turn. On the connection's event loop.
 *
 * @param <S> type of the senders
 */
public final class SendScheduler<S> {

    static final int TURN = 8;

    /** Bytes of a body that one turn sends at most. */
    public static final int FRAME = 16_384;
    /** Bytes of a connection's window that are reserved for control. */
    public static final int RESERVED = 16_384;

    /** Upper ends of the classes of length; the last is open. */
    private static final long[] CLASSES = {
        16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, Long.MAX_VALUE
    };

    /** Queues by rank, then class. {@link #waiting} has a bit for each queue that is not empty. */
    private final List<Deque<S>> queues = new ArrayList<>();

    private long waiting;
    private int turnsUsed;
    private int lastTurn;

    public SendScheduler() {
        for (int i = 0; i < SendPriority.RANKS * CLASSES.length; i++) {
            queues.add(new ArrayDeque<>(0));
        }
    }

    /**
     * Adds a sender.
     *
     * @param rank as {@link SendPriority} defines it
     * @param length bytes that it sends in total; -1: not known, then the bytes sent so far count
     *     as the bytes left
     * @param sent part of {@code length} that was sent already
     * @return the index of its queue
     */
    public int add(S sender, int rank, long length, long sent) {
        long remaining = length < 0 ? sent + 1 : Math.max(length - sent, 0);
        int sizeClass = 0;
        while (remaining > CLASSES[sizeClass]) {
            sizeClass++;
        }
        int place = rank * CLASSES.length + sizeClass;
        queues.get(place).add(sender);
        waiting |= 1L << place;
        return place;
    }

    /** Removes a sender from its queue. */
    public void remove(S sender, int place) {
        Deque<S> queue = queues.get(place);
        queue.remove(sender);
        if (queue.isEmpty()) {
            waiting &= ~(1L << place);
        }
    }

    public boolean isEmpty() {
        return waiting == 0;
    }

    /** Returns whether a queue, by its index, is one of control. */
    public static boolean isControl(int place) {
        return place < CLASSES.length;
    }

    private static long controlMask() {
        return (1L << CLASSES.length) - 1;
    }

    /** Returns the queue whose turn it is. Only when a sender waits. */
    public int next() {
        long behindFirst = waiting & (waiting - 1);
        boolean isTheirTurn = turnsUsed % TURN == TURN - 1 && (waiting & controlMask()) == 0;
        if (!isTheirTurn || behindFirst == 0) {
            return Long.numberOfTrailingZeros(waiting);
        }
        long behindLast = lastTurn >= 63 ? 0 : behindFirst & (-1L << (lastTurn + 1));
        lastTurn = Long.numberOfTrailingZeros(behindLast != 0 ? behindLast : behindFirst);
        return lastTurn;
    }

    /** Removes and returns the first sender of a queue. */
    public S poll(int place) {
        Deque<S> queue = queues.get(place);
        S sender = queue.remove();
        if (queue.isEmpty()) {
            waiting &= ~(1L << place);
        }
        return sender;
    }

    /** Returns a sender that could not send to the front of its queue. */
    public void putBack(S sender, int place) {
        queues.get(place).addFirst(sender);
        waiting |= 1L << place;
    }

    /** Counts a turn that was used. */
    public void countTurn() {
        turnsUsed++;
    }
}
