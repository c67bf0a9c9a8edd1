package dev.komainu.central.alert.notify;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The queue of notices for one receiver: the first is retried until it is delivered or given up.
 * Thread-safe; one thread at a time takes notices.
 */
final class DeliveryQueue {

    private final int most;
    /** The queued deliveries, first in, first out; guarded by this. */
    private final Deque<Delivery> waiting = new ArrayDeque<>();
    /** True while an attempt for the first delivery is in progress; guarded by this. */
    private boolean attempting;
    /** Guarded by this. */
    private boolean closed;

    DeliveryQueue(int most) {
        this.most = most;
    }

    /**
     * Adds a delivery. Returns the delivery dropped because the queue was full: the oldest without
     * an attempt in progress; {@code null} when none was dropped.
     */
    synchronized @Nullable Delivery offer(Delivery delivery) {
        if (closed) {
            return delivery;
        }
        Delivery dropped = null;
        if (waiting.size() >= most + (attempting ? 1 : 0)) {
            if (attempting) {
                Delivery first = waiting.removeFirst();
                dropped = waiting.removeFirst();
                waiting.addFirst(first);
            } else {
                dropped = waiting.removeFirst();
            }
        }
        waiting.addLast(delivery);
        notifyAll();
        return dropped;
    }

    /**
     * Returns the first delivery if it is due, else {@code null}. The caller must then call
     * {@link #done} or {@link #later}.
     */
    synchronized @Nullable Delivery take(Instant now) {
        Delivery first = waiting.peekFirst();
        if (closed || attempting || first == null || !first.isDue(now)) {
            return null;
        }
        attempting = true;
        return first;
    }

    synchronized void done() {
        attempting = false;
        waiting.pollFirst();
    }

    synchronized void later(Delivery again) {
        attempting = false;
        waiting.pollFirst();
        waiting.addFirst(again);
    }

    /** Makes the first delivery due now, after a change of settings or on request. */
    synchronized void hurry(Instant now) {
        Delivery first = waiting.peekFirst();
        if (first != null && !attempting && first.nextAt().isAfter(now)) {
            waiting.removeFirst();
            waiting.addFirst(new Delivery(
                    first.id(),
                    first.receiver(),
                    first.receiverName(),
                    first.notice(),
                    first.createdAt(),
                    first.attempts(),
                    now));
        }
        notifyAll();
    }

    synchronized int size() {
        return waiting.size();
    }

    /**
     * Waits until a delivery can be due. While deliveries wait, it returns after 1 s at most, since
     * the wall clock can be changed.
     */
    @SuppressWarnings("WaitNotInLoop") // the caller checks the queue in a loop
    synchronized void await() throws InterruptedException {
        if (!closed) {
            if (waiting.isEmpty()) {
                wait();
            } else {
                wait(1_000);
            }
        }
    }

    /** Wakes the waiting thread, so that it checks whether it should stop. */
    synchronized void wake() {
        notifyAll();
    }

    /** Closes the queue for good: it accepts and returns no more deliveries. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed;
    }
}
