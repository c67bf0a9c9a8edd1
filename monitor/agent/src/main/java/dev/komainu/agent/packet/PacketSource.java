package dev.komainu.agent.packet;

import java.io.IOException;

/** Source of frames: a capture file or live interfaces. */
public interface PacketSource extends AutoCloseable {

    /**
     * Delivers every frame to {@code sink} on the calling thread, until the source ends or
     * {@link #stop} is called. Returns at once when the source was stopped before. To be called
     * once.
     *
     * @throws MalformedCaptureException when the input is broken; everything before the broken byte
     *     was delivered
     */
    void run(FrameSink sink) throws IOException, MalformedCaptureException;

    /**
     * Makes {@link #run} return soon (live: within 200 ms). Any thread, any time, any number of
     * times.
     */
    void stop();

    /**
     * Returns the frames delivered so far. The thread of {@link #run}, or any after it returned.
     */
    long delivered();

    /**
     * Returns the frames that the kernel or the interface dropped before they could be read, as far
     * as the source reports them; same threads.
     */
    long dropped();

    /**
     * Reports whether the source may show one packet several times: at several interfaces, or at a
     * mirror port.
     */
    default boolean mayRepeat() {
        return false;
    }

    /** Releases all resources. Not while {@link #run} runs. */
    @Override
    void close() throws IOException;
}
