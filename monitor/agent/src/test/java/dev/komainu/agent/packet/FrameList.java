package dev.komainu.agent.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Frames in memory as a source. */
public final class FrameList implements PacketSource {

    private final List<Frame> frames;
    private volatile boolean stopped;
    private long delivered;
    public long dropped;

    public FrameList(List<Frame> frames) {
        this.frames = frames;
    }

    @Override
    public void run(FrameSink sink) {
        try (Arena arena = Arena.ofConfined()) {
            for (Frame frame : frames) {
                if (stopped) {
                    return;
                }
                MemorySegment memory = arena.allocate(Math.max(1, frame.bytes().length));
                MemorySegment.copy(
                        frame.bytes(),
                        0,
                        memory,
                        java.lang.foreign.ValueLayout.JAVA_BYTE,
                        0,
                        frame.bytes().length);
                delivered++;
                sink.frame(
                        frame.micros(),
                        frame.link(),
                        memory,
                        0,
                        frame.bytes().length,
                        frame.length());
            }
        }
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public long delivered() {
        return delivered;
    }

    @Override
    public long dropped() {
        return dropped;
    }

    @Override
    public void close() {}
}
