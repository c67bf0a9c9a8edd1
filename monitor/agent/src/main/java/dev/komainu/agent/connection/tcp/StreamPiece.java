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
     * Instants of the earliest and the latest packet that brought these bytes; for a hole, the
     * instant at which it was given up.
     */
    public long firstMicros;

    public long lastMicros;
    /** Sequence number after the last of these bytes; undefined for a hole. */
    public int end;
    /**
     * Acknowledgement number: the bytes of the other direction that the sender had received;
     * undefined for a hole.
     */
    public int acknowledges;
    /** Later bytes of the stream came before these: they were sent again, or overtaken. */
    public boolean late;
    /**
     * No packet with these bytes was captured, so no time of an exchange may be derived from them.
     */
    public boolean hole;

    private final byte[] one = new byte[1];
    private final MemorySegment oneSegment = MemorySegment.ofArray(one);

    int length() {
        return known + unknown;
    }

    /**
     * Returns a known byte, signed. Copied: on the first access to foreign memory, the JVM would
     * have to build its access code.
     */
    public int byteAt(int index) {
        MemorySegment.copy(memory, offset + index, oneSegment, 0, 1);
        return one[0];
    }
}
