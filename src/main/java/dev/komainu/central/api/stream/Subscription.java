package dev.komainu.central.api.stream;

import dev.komainu.central.limit.RequestLimit;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The queue of one subscriber. The hub adds events, the request's thread takes them. */
public final class Subscription {

    /** Marker that wakes the reading thread when the subscription ends; it has no frame. */
    private static final StreamEvent END = StreamEvent.end();

    private final Set<String> topics;
    private final BlockingQueue<StreamEvent> queue;
    private final Backlog backlog;
    private final long mostBytes;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean ended;

    /**
     * Creates a subscription with events in its queue.
     *
     * @param missed events to be sent at once, in addition to the limits of the live queue
     * @param length number of live events that the subscriber can lag behind
     */
    Subscription(Set<String> topics, List<StreamEvent> missed, int length, Backlog backlog) {
        this.topics = Set.copyOf(topics);
        this.queue = new ArrayBlockingQueue<>(length + missed.size());
        this.backlog = backlog;
        this.mostBytes = RequestLimit.STREAM_BACKLOG.value()
                + missed.stream().mapToLong(event -> event.frame().length).sum();
        missed.forEach(this::offer);
    }

    boolean wants(String topic) {
        return topics.contains(topic);
    }

    /**
     * Adds an event. Returns false when the queue has too many events or bytes: the subscriber is
     * too slow, and the subscription is ended. One event in an empty queue may have any size.
     */
    boolean offer(StreamEvent event) {
        int size = event.frame().length;
        long before = bytes.getAndAdd(size);
        boolean fits = before == 0 || before + size <= mostBytes;
        boolean allFit = backlog.add(event) || before == 0;
        if (fits && allFit && queue.offer(event)) {
            return true;
        }
        taken(event);
        end();
        return false;
    }

    private void taken(StreamEvent event) {
        bytes.addAndGet(-event.frame().length);
        backlog.remove(event);
    }

    void end() {
        ended = true;
        for (StreamEvent event = queue.poll(); event != null; event = queue.poll()) {
            if (!event.isEnd()) {
                taken(event);
            }
        }
        queue.offer(END);
    }

    /** Reports whether no more events follow. */
    public boolean ended() {
        return ended;
    }

    /**
     * Waits for the next event and returns it; {@code null} after {@code patience} without one, or
     * when the subscription has ended.
     */
    @Nullable
    StreamEvent next(Duration patience) throws InterruptedException {
        StreamEvent event = ended ? null : queue.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (event == null || event.isEnd()) {
            return null;
        }
        taken(event);
        return ended ? null : event;
    }
}
