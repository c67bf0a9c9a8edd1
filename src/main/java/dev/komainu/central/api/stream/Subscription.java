package dev.komainu.central.api.stream;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The queue of one subscriber. The hub adds events, the request's thread takes them. */
public final class Subscription {

    /** Marker that wakes the reading thread when the subscription ends; it has no frame. */
    private static final StreamEvent END = new StreamEvent(-1, "", new byte[0]);

    private final Set<String> topics;
    private final BlockingQueue<StreamEvent> queue;
    private volatile boolean ended;

    Subscription(Set<String> topics, int capacity) {
        this.topics = Set.copyOf(topics);
        this.queue = new ArrayBlockingQueue<>(capacity);
    }

    boolean wants(String topic) {
        return topics.contains(topic);
    }

    /**
     * Adds an event. Returns false when the queue is full: the subscriber is too slow, and the
     * subscription is ended.
     */
    boolean offer(StreamEvent event) {
        if (queue.offer(event)) {
            return true;
        }
        end();
        return false;
    }

    void end() {
        ended = true;
        queue.clear();
        queue.offer(END);
    }

    /** Reports whether no more events follow. */
    public boolean ended() {
        return ended;
    }

    /**
     * Waits for the next frame and returns it; {@code null} after {@code patience} without one, or
     * when the subscription has ended.
     */
    public byte @Nullable [] next(Duration patience) throws InterruptedException {
        StreamEvent event = ended ? null : queue.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        return event == null || ended ? null : event.frame();
    }
}
