package dev.komainu.agent.connection.tcp;

import java.util.Arrays;

/**
 * The paths to the clients of connections on which the server sends data: the time from a data
 * segment to its acknowledgement, the bytes acknowledged in that time, and whether data was sent
 * again. At most one segment of a connection is timed at a time; a retransmission makes its
 * acknowledgement ambiguous (Karn). A few comparisons for each packet.
 *
 * <p>Idle connections have no state here. A connection's place follows from its row; where two
 * connections share a place, the one that sent first in a second is followed. So at most
 * {@value #MOST_PLACES} connections are followed in a second.
 */
public final class ClientPath {

    private static final int MOST_PLACES = 1 << 14;

    /** Offsets within a place. Identity of the connection; 0: free. */
    private static final int KEY = 0;

    /** Sequence number after the segment whose acknowledgement is awaited. */
    private static final int END = 1;

    /** Time of that segment in microseconds modulo 2^32. */
    private static final int SENT = 2;

    /** The client's acknowledgement at that time. */
    private static final int ACKNOWLEDGED = 3;

    /** Second in which data was last sent, shifted by two, and the marks. */
    private static final int SECOND = 4;

    private static final int INTS = 5;

    /** A segment is being timed. */
    private static final int TIMING = 1;
    /** Data was sent again in the second. */
    private static final int REPEATED = 2;

    private static final int MARKS = TIMING | REPEATED;

    /** Longest round trip; what takes longer is a client that went away. */
    private static final long MOST_MICROS = 60_000_000;

    private static final long SECOND_MICROS = 1_000_000;

    private final ConnectionListener listener;
    /** Beginning of the second of the last packet, and that second as a place keeps it. */
    private long secondMicros = Long.MIN_VALUE;

    private int secondState;
    private int[] places = new int[256 * INTS];

    public ClientPath(ConnectionListener listener) {
        this.listener = listener;
    }

    /** Handles new data of the server that ends before {@code end}. */
    void sent(ConnectionRow row, int end, long micros) {
        int at = inSecond(row, micros);
        if (at >= 0 && (places[at + SECOND] & TIMING) == 0) {
            places[at + END] = end;
            places[at + SENT] = (int) micros;
            places[at + ACKNOWLEDGED] = row.intAt(ConnectionRow.UP + ConnectionRow.ACKED);
            places[at + SECOND] |= TIMING;
        }
    }

    /** Handles data of the server that was sent again. */
    void repeated(ConnectionRow row, long micros) {
        int at = inSecond(row, micros);
        if (at >= 0) {
            if ((places[at + SECOND] & REPEATED) == 0) {
                listener.clientRetransmitting(row.service(), micros);
            }
            places[at + SECOND] = (places[at + SECOND] | REPEATED) & ~TIMING;
        }
    }

    /** Handles the client's acknowledgement of everything before {@code sequence}. */
    void acknowledged(ConnectionRow row, int sequence, long micros) {
        int at = place(row);
        if (at >= places.length
                || places[at + KEY] != key(row)
                || (places[at + SECOND] & TIMING) == 0
                || SequenceNumbers.before(sequence, places[at + END])) {
            return;
        }
        places[at + SECOND] &= ~TIMING;
        long taken = Integer.toUnsignedLong((int) micros - places[at + SENT]);
        if (taken <= MOST_MICROS) {
            int from = places[at + ACKNOWLEDGED];
            int bytes = from == 0 ? 0 : Math.max(0, SequenceNumbers.distance(from, sequence));
            listener.clientRoundTrip(row.service(), micros, taken, bytes);
        }
    }

    /** Returns the second of an instant, as a place keeps it. Most packets need no division. */
    private int second(long micros) {
        if (micros < secondMicros || micros >= secondMicros + SECOND_MICROS) {
            long second = micros / SECOND_MICROS;
            secondMicros = second * SECOND_MICROS;
            // Not 0, which is the state of a free place.
            secondState = (int) (second + 1) << 2;
        }
        return secondState;
    }

    private static int place(ConnectionRow row) {
        return (row.number() & MOST_PLACES - 1) * INTS;
    }

    private static int key(ConnectionRow row) {
        int key = row.intAt(ConnectionRow.HASH) ^ (int) row.longAt(ConnectionRow.START);
        return key == 0 ? 1 : key;
    }

    /**
     * Returns the connection's place; -1 when another connection has it in this second. The first
     * data of a connection in a second is reported.
     */
    private int inSecond(ConnectionRow row, long micros) {
        int at = place(row);
        if (at >= places.length) {
            places = Arrays.copyOf(places, Integer.highestOneBit(at / INTS) * 2 * INTS);
        }
        int key = key(row);
        int second = second(micros);
        int state = places[at + SECOND];
        if (places[at + KEY] != key) {
            if ((state & ~MARKS) == second) {
                return -1;
            }
            places[at + KEY] = key;
            state = 0;
        } else if ((state & ~MARKS) == second) {
            return at;
        }
        places[at + SECOND] = second | (state & TIMING);
        listener.clientSending(row.service(), micros);
        return at;
    }
}
