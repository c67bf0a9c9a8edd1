package dev.komainu.proxy.connection;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Newcomers who found neither a place nor an idle connection that would give them one, first come,
 * first served. A place is offered to the first; one who needs it no more offers it on. Safe for
 * all threads.
 */
final class WaitingClients {

    /** Each holds a descriptor beyond {@code connections.max}. */
    static final int MOST = 1024;

    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /**
     * @param offered runs on any thread, once, unless {@link #leave} removed it. @return false: too
     *     many wait
     */
    boolean join(Runnable offered) {
        if (size.incrementAndGet() > MOST) {
            size.decrementAndGet();
            return false;
        }
        queue.add(offered);
        return true;
    }

    /** Its patience is over. @return false: it has been offered a place meanwhile */
    boolean leave(Runnable offered) {
        boolean was = queue.remove(offered);
        if (was) {
            size.decrementAndGet();
        }
        return was;
    }

    /** A place is free. */
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
