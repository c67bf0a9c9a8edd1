package dev.komainu.agent.connection.tcp;

/**
 * Reader of the streams of all connections. It receives their bytes in the order in which they were
 * sent ({@link StreamReassembly}), and TCP's events about bytes it has read. On the source's
 * thread.
 */
public interface StreamReader {

    /**
     * Reads the next piece of a direction's stream. Pieces come in the order of sequence numbers
     * and after the pieces that their sender had received, without gaps: holes are pieces, too.
     */
    void read(ConnectionRow row, boolean up, StreamPiece piece);

    /**
     * Counts the server's next bytes, in order, if they need only counting; reports whether it did.
     */
    boolean counted(ConnectionRow row, int bytes, long micros);

    /** Reports whether the reader ignores all later bytes. */
    boolean ignoresAll(ConnectionRow row);

    /**
     * Returns how many of the next bytes of a direction may be unknown without harm: the rest of a
     * body.
     */
    int skippable(ConnectionRow row, boolean up);

    /**
     * Handles the server's acknowledgement of everything before {@code sequence}. Called only while
     * {@link ConnectionRow#EXCHANGE_UNACKNOWLEDGED} refers to an exchange.
     */
    void acknowledged(ConnectionRow row, int sequence, long micros);

    /** Handles a repetition by the client of its bytes [from, to), or of some of them. */
    void resent(ConnectionRow row, int from, int to);
}
