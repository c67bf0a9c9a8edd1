package dev.komainu.central.api.stream;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One subscriber's queue. The hub puts, the request's thread takes. */
public final class Subscription {

    /** Wakes the taker when the subscription ends; holds no frame. */
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

    /** False when the queue is full: the subscriber is too slow and now ended. */
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

    /** Whether nothing more will come. */
    public boolean ended() {
        return ended;
    }

    /**
     * The next frame to write; absent after {@code patience} without one, or when the subscription
     * has ended.
     */
    public byte @Nullable [] next(Duration patience) throws InterruptedException {
        StreamEvent event = ended ? null : queue.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        return event == null || ended ? null : event.frame();
    }
}
