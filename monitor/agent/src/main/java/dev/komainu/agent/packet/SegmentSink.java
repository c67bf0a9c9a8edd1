package dev.komainu.agent.packet;

/** Receiver of the decoder's TCP packets, on the source's thread. */
public interface SegmentSink {

    /**
     * Receives one packet.
     *
     * @param segment valid during the call only
     */
    void segment(TcpSegment segment);

    /** Reports the time, as {@link FrameSink#idle} does. */
    default void idle(long micros) {}
}
