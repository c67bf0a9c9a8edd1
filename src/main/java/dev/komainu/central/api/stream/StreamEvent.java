package dev.komainu.central.api.stream;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One event in its wire form, encoded once for all subscribers.
 *
 * @param number ascending number within one run of the service; 0 for events outside the order
 * @param frame the complete frame, ending with an empty line; never changed
 * @param queues number of subscribers' queues that contain the event
 */
record StreamEvent(long number, String topic, byte[] frame, AtomicInteger queues) {

    /** Returns a marker of the end of a queue, without a frame. */
    static StreamEvent end() {
        return new StreamEvent(-1, "", new byte[0], new AtomicInteger());
    }

    boolean isEnd() {
        return number < 0;
    }

    /**
     * Encodes an event.
     *
     * @param json data in one line of JSON
     */
    static StreamEvent of(String epoch, long number, String topic, String event, String json) {
        String frame =
                "id: " + epoch + "-" + number + "\nevent: " + event + "\ndata: " + json + "\n\n";
        return new StreamEvent(
                number, topic, frame.getBytes(StandardCharsets.UTF_8), new AtomicInteger());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StreamEvent event
                && event.number == number
                && event.topic.equals(topic)
                && Arrays.equals(event.frame, frame);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
