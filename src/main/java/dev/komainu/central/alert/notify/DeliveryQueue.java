package dev.komainu.central.alert.notify;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The notices that wait for one receiver, in order: the first is retried until it is delivered or
 * given up. Any thread; one thread at a time takes.
 */
final class DeliveryQueue {

    private final int most;
    /** First in, first out; guarded by this. */
    private final Deque<Delivery> waiting = new ArrayDeque<>();
    /** The first is being tried now; guarded by this. */
    private boolean trying;
    /** Guarded by this. */
    private boolean closed;

    DeliveryQueue(int most) {
        this.most = most;
    }

    /** @return what had to leave to make room: the oldest that is not being tried */
    synchronized @Nullable Delivery offer(Delivery delivery) {
        if (closed) {
            return delivery;
        }
        Delivery dropped = null;
        if (waiting.size() >= most + (trying ? 1 : 0)) {
            if (trying) {
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

    /** The first, when it is due; must be handed to {@link #done} or {@link #later}. */
    synchronized @Nullable Delivery take(Instant now) {
        Delivery first = waiting.peekFirst();
        if (closed || trying || first == null || !first.isDue(now)) {
            return null;
        }
        trying = true;
        return first;
    }

    synchronized void done() {
        trying = false;
        waiting.pollFirst();
    }

    synchronized void later(Delivery again) {
        trying = false;
        waiting.pollFirst();
        waiting.addFirst(again);
    }

    /** Makes the first notice due now, after a change of settings or a request. */
    synchronized void hurry(Instant now) {
        Delivery first = waiting.peekFirst();
        if (first != null && !trying && first.nextAt().isAfter(now)) {
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
     * Waits until something may be due: a second at most while something waits, since the clock is
     * not our own.
     */
    synchronized void await() throws InterruptedException {
        if (!closed) {
            if (waiting.isEmpty()) {
                wait();
            } else {
                wait(1_000);
            }
        }
    }

    /** Lets the waiting thread look whether it shall go on. */
    synchronized void wake() {
        notifyAll();
    }

    /** For ever: nothing is taken or given any more. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed;
    }
}
