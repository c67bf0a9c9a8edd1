package dev.komainu.agent.packet;

import java.lang.foreign.MemorySegment;

/** Receiver of the frames of a source, on the source's thread. */
public interface FrameSink {

    /**
     * Receives one frame. The bytes are valid during the call only.
     *
     * @param micros instant of capture, microseconds since the epoch
     * @param link type of the header at the beginning of the frame
     * @param memory memory that contains the frame
     * @param offset offset of the frame's first byte in {@code memory}
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
     * Sets the interface of the frames that follow.
     *
     * @param networkInterface any number, equal for equal interfaces
     */
    default void setInterface(int networkInterface) {}

    /**
     * Reports the time: called at least every 200 ms by a live source, also on a silent link, and
     * never by a file. All frames captured before {@code micros} have been delivered.
     */
    default void idle(long micros) {}
}
