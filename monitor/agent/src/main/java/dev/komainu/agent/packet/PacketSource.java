package dev.komainu.agent.packet;

import java.io.IOException;

/** Where frames come from: a capture file or live interfaces. */
public interface PacketSource extends AutoCloseable {

    /**
     * Delivers every frame to {@code sink} on the calling thread, until the source ends or
     * {@link #stop} is called. Returns at once when it was stopped before. To be called once.
     *
     * @throws MalformedCaptureException when the input is broken; everything before the broken
     *     place was delivered
     */
    void run(FrameSink sink) throws IOException, MalformedCaptureException;

    /**
     * Makes {@link #run} return soon (live: within 200 ms). Any thread, any time, any number of
     * times.
     */
    void stop();

    /** Frames delivered so far. The thread of {@link #run}, or any after it returned. */
    long delivered();

    /**
     * Frames the kernel or the interface dropped before we could read them, as far as the source
     * tells; same threads.
     */
    long dropped();

    /** Whether it may show one packet several times: at several interfaces, or at a mirror port. */
    default boolean mayRepeat() {
        return false;
    }

    /** Gives everything back. Not while {@link #run} runs. */
    @Override
    void close() throws IOException;
}
