package dev.komainu.central.api.stream;

import dev.komainu.central.limit.RequestLimit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of events that subscribers have not taken yet. An event in several queues counts once:
 * they share its frame. Thread-safe.
 */
final class Backlog {

    private final AtomicLong bytes = new AtomicLong();

    /** Adds an event to a queue. Returns false when all queues together hold too much. */
    boolean add(StreamEvent event) {
        if (event.queues().getAndIncrement() == 0) {
            bytes.addAndGet(event.frame().length);
        }
        return bytes.get() <= RequestLimit.STREAMS_BACKLOG.value();
    }

    /** Removes an event from a queue. */
    void remove(StreamEvent event) {
        if (event.queues().decrementAndGet() == 0) {
            bytes.addAndGet(-event.frame().length);
        }
    }

    long bytes() {
        return bytes.get();
    }
}
