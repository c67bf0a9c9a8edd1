package dev.komainu.agent.packet;

/** Takes TCP packets off the decoder, on the source's thread. */
public interface SegmentSink {

    /** @param segment valid during the call only */
    void segment(TcpSegment segment);

    /** See {@link FrameSink#idle}. */
    default void idle(long micros) {}
}
