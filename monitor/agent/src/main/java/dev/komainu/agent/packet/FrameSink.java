package dev.komainu.agent.packet;

import java.lang.foreign.MemorySegment;

/** Takes frames off a source, on the source's thread. */
public interface FrameSink {

    /**
     * One frame. The bytes are valid during the call only.
     *
     * @param micros instant of capture, microseconds since the epoch
     * @param link what the frame begins with
     * @param memory holds the frame
     * @param offset of the frame's first byte in {@code memory}
     * @param captured bytes that may be read from {@code offset}
     * @param length bytes the frame had on the wire; more than {@code captured} when a snaplen cut
     *     it
     */
    void frame(
            long micros,
            LinkType link,
            MemorySegment memory,
            long offset,
            int captured,
            int length);

    /**
     * The frames that follow were seen at another interface than those before.
     *
     * @param face any number, equal for equal interfaces
     */
    default void from(int face) {}

    /**
     * Time went by: called at least every 200 ms by a live source, also on a silent link, and never
     * by a file. All frames captured before {@code micros} have been delivered.
     */
    default void idle(long micros) {}
}
