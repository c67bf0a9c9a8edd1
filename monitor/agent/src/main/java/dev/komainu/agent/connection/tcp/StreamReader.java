package dev.komainu.agent.connection.tcp;

/**
 * Reader of the streams of all connections: gets their bytes in the order in which they were said
 * ({@link StreamReassembly}), and what TCP tells of bytes it has read. On the source's thread.
 */
public interface StreamReader {

    /**
     * The next piece of a direction's stream. Pieces come in the order of sequence numbers and
     * after those their sender had received, without gaps: holes are pieces, too.
     */
    void read(ConnectionRow row, boolean up, StreamPiece piece);

    /** Whether the next bytes the server said, in order, only needed counting, and were counted. */
    boolean counted(ConnectionRow row, int bytes, long micros);

    /** Whether nothing that still comes is read. */
    boolean isDeaf(ConnectionRow row);

    /**
     * How many of the next bytes of a direction may be unknown without harm: the rest of a body.
     */
    int indifferent(ConnectionRow row, boolean up);

    /**
     * The server acknowledged everything before {@code sequence}. Told only while
     * {@link ConnectionRow#EXCHANGE_UNACKNOWLEDGED} names an exchange.
     */
    void acknowledged(ConnectionRow row, int sequence, long micros);

    /** The client sent its bytes [from, to) again, or some of them. */
    void resent(ConnectionRow row, int from, int to);
}
