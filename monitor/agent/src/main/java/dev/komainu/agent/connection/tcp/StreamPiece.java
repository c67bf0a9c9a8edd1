package dev.komainu.agent.connection.tcp;

import java.lang.foreign.MemorySegment;

/**
 * The next bytes of one direction's stream, for a {@link StreamReader}; a view that is filled anew
 * for each piece, valid during the call only.
 *
 * <pre>
 *  known bytes, in memory from offset | unknown bytes: cut by a snaplen, not kept, or a hole
 * </pre>
 */
public final class StreamPiece {

    public MemorySegment memory = MemorySegment.NULL;
    public long offset;
    public int known;
    public int unknown;
    /**
     * When the earliest and the latest packet that brought these bytes came; for a hole, when it
     * was given up.
     */
    public long firstMicros;

    public long lastMicros;
    /** Sequence number after the last of these bytes; of no meaning for a hole. */
    public int end;
    /** What of the other direction its sender had received; of no meaning for a hole. */
    public int acknowledges;
    /** Later bytes of the stream came before these: they were sent again, or overtaken. */
    public boolean late;
    /**
     * Nobody saw these bytes: no packet brought them, so that no time of an exchange may be taken
     * from here.
     */
    public boolean hole;

    private final byte[] one = new byte[1];
    private final MemorySegment oneSegment = MemorySegment.ofArray(one);

    int length() {
        return known + unknown;
    }

    /**
     * A known byte, signed. Copied, because a look into foreign memory first makes the JVM build
     * its means for it.
     */
    public int byteAt(int index) {
        MemorySegment.copy(memory, offset + index, oneSegment, 0, 1);
        return one[0];
    }
}
