package dev.komainu.central.api.stream;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One event in its wire form, encoded and compressed once for all subscribers. Thread-safe. */
final class StreamEvent {

    private final long number;
    private final String topic;
    private final byte[] frame;
    private final AtomicInteger queues = new AtomicInteger();
    private volatile byte @Nullable [] deflated;

    private StreamEvent(long number, String topic, byte[] frame) {
        this.number = number;
        this.topic = topic;
        this.frame = frame;
    }

    /** Returns a marker of the end of a queue, without a frame. */
    static StreamEvent end() {
        return new StreamEvent(-1, "", new byte[0]);
    }

    /**
     * Encodes an event.
     *
     * @param number ascending number within one run of the service
     * @param json data in one line of JSON
     */
    static StreamEvent of(String epoch, long number, String topic, String event, String json) {
        String frame =
                "id: " + epoch + "-" + number + "\nevent: " + event + "\ndata: " + json + "\n\n";
        return new StreamEvent(number, topic, frame.getBytes(StandardCharsets.UTF_8));
    }

    boolean isEnd() {
        return number < 0;
    }

    long number() {
        return number;
    }

    String topic() {
        return topic;
    }

    /** Returns the complete frame, which ends with an empty line. Callers must not change it. */
    byte[] frame() {
        return frame;
    }

    /** Returns the number of subscribers' queues that contain the event. */
    AtomicInteger queues() {
        return queues;
    }

    /** Returns the frame as blocks of a gzip stream. Callers must not change them. */
    byte[] deflated() {
        byte[] blocks = deflated;
        if (blocks == null) {
            // Two readers may compress it at the same time; the blocks are equal.
            blocks = GzipFrames.deflate(frame);
            deflated = blocks;
        }
        return blocks;
    }
}
