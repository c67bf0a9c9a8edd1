package dev.komainu.agent.connection.tcp;

/**
 * The path to the client of one connection: the time from a data segment of the server to its
 * acknowledgement, the bytes acknowledged in that time, and whether data was sent again. At most
 * one segment of a connection is timed at a time; a retransmission makes its acknowledgement
 * ambiguous (Karn). A few comparisons for each packet.
 */
final class ClientPath {

    /** A segment is being timed. */
    private static final int TIMING = 1;
    /** Data was sent again in the second. */
    private static final int REPEATED = 2;

    private static final int MARKS = 3;

    /** Longest round trip; what takes longer is a client that went away. */
    private static final long MOST_MICROS = 60_000_000;

    private final ConnectionListener listener;

    ClientPath(ConnectionListener listener) {
        this.listener = listener;
    }

    /** Handles new data of the server that ends before {@code end}. */
    void sent(ConnectionRow row, int end, long micros) {
        int state = inSecond(row, micros);
        if ((state & TIMING) == 0) {
            row.setInt(ConnectionRow.PATH_END, end);
            row.setInt(ConnectionRow.PATH_SENT, (int) (micros - row.longAt(ConnectionRow.START)));
            int known = row.intAt(ConnectionRow.UP + ConnectionRow.ACKED);
            row.setInt(ConnectionRow.PATH_ACKNOWLEDGED, known);
            row.setInt(ConnectionRow.PATH_SECOND, state | TIMING);
        }
    }

    /** Handles data of the server that was sent again. */
    void repeated(ConnectionRow row, long micros) {
        int state = inSecond(row, micros);
        if ((state & REPEATED) == 0) {
            listener.clientRetransmitting(row.service(), micros);
        }
        row.setInt(ConnectionRow.PATH_SECOND, (state | REPEATED) & ~TIMING);
    }

    /** Handles the client's acknowledgement of everything before {@code sequence}. */
    void acknowledged(ConnectionRow row, int sequence, long micros) {
        int state = row.intAt(ConnectionRow.PATH_SECOND);
        if ((state & TIMING) == 0
                || SequenceNumbers.before(sequence, row.intAt(ConnectionRow.PATH_END))) {
            return;
        }
        row.setInt(ConnectionRow.PATH_SECOND, state & ~TIMING);
        int after = (int) (micros - row.longAt(ConnectionRow.START));
        long taken = Integer.toUnsignedLong(after - row.intAt(ConnectionRow.PATH_SENT));
        if (taken <= MOST_MICROS) {
            int from = row.intAt(ConnectionRow.PATH_ACKNOWLEDGED);
            int bytes = from == 0 ? 0 : Math.max(0, SequenceNumbers.distance(from, sequence));
            listener.clientRoundTrip(row.service(), micros, taken, bytes);
        }
    }

    /**
     * Returns the state in this second. The first data of a second is reported, once for each
     * connection.
     */
    private int inSecond(ConnectionRow row, long micros) {
        int state = row.intAt(ConnectionRow.PATH_SECOND);
        // Not 0, which is the state of a new row.
        int second = (int) (micros / 1_000_000 + 1) << 2;
        if ((state & ~MARKS) == second) {
            return state;
        }
        int begun = second | state & TIMING;
        row.setInt(ConnectionRow.PATH_SECOND, begun);
        listener.clientSending(row.service(), micros);
        return begun;
    }
}
