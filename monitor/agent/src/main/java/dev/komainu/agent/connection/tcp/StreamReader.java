package dev.komainu.agent.connection.tcp;

/**
 * Reader of the streams of all connections: gets their bytes in the order in which they were said ({@link StreamOrder}), and what TCP
 * tells of bytes it has read. On the source's thread.
 */
public interface StreamReader {

    /**
     * The next piece of a direction's stream. Pieces come in the order of sequence numbers and after those their sender
     * had received, without gaps: holes are pieces, too.
     */
    void read(Row row, boolean up, Piece piece);

    /** Whether the next bytes the server said, in order, only needed counting, and were counted. */
    boolean counted(Row row, int bytes, long micros);

    /** Whether nothing that still comes is read. */
    boolean isDeaf(Row row);

    /** How many of the next bytes of a direction may be unknown without harm: the rest of a body. */
    int indifferent(Row row, boolean up);

    /** The server acknowledged everything before {@code sequence}. Told only while {@link Row#EXCHANGE_UNACKNOWLEDGED} names an exchange. */
    void acknowledged(Row row, int sequence, long micros);

    /** The client sent its bytes [from, to) again, or some of them. */
    void resent(Row row, int from, int to);
}
