package dev.komainu.proxy.connection;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The queue of new clients for which there is no room and no idle connection to close, first come,
 * first served. Admission is offered to the first; a client that no longer needs it passes the
 * offer on. Thread-safe.
 */
final class WaitingClients {

    /** The largest length; each client uses a descriptor beyond {@code connections.max}. */
    static final int MAX_SIZE = 1024;

    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /**
     * Adds a client.
     *
     * @param offered runs on any thread, once, unless {@link #leave} removed it
     * @return false when too many clients wait
     */
    boolean join(Runnable offered) {
        if (size.incrementAndGet() > MAX_SIZE) {
            size.decrementAndGet();
            return false;
        }
        queue.add(offered);
        return true;
    }

    /**
     * Removes a client whose wait is over.
     *
     * @return false when it was offered admission in the meantime
     */
    boolean leave(Runnable offered) {
        boolean removed = queue.remove(offered);
        if (removed) {
            size.decrementAndGet();
        }
        return removed;
    }

    /** Offers admission to the first client. */
    void offer() {
        Runnable first = queue.poll();
        if (first != null) {
            size.decrementAndGet();
            first.run();
        }
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }
}
