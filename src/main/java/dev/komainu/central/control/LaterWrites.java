package dev.komainu.central.control;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The queue of writes that nothing waits for: what the fleet, the states and the baselines remember
 * over a restart; and of readings for pages, which must see these writes. One thread carries them
 * out in their order, those that wait in one transaction, and waits while the database is away, so
 * that neither ingest nor the assessment does. Any thread.
 *
 * <p>H2 in this process is never away, but each of its transactions waits for the disk: after a
 * restart all parts report at once, and the fleet's lock must not be held meanwhile. A kill of the
 * process loses what waits: the writes of the last moment, or of an outage.
 *
 * <table><caption>Limits</caption>
 * <tr><th>name</th><th>value</th><th>consequence</th></tr>
 * <tr><td>{@link #MOST}</td><td>50,000</td><td>the oldest write is dropped, and counted</td></tr>
 * <tr><td>{@link #TOGETHER}</td><td>200</td><td>the others follow in the next transaction</td></tr>
 * </table>
 */
public final class LaterWrites implements SmartLifecycle {

    /** Largest number of writes that wait. */
    static final int MOST = 50_000;

    /** Largest number of writes in one transaction. */
    static final int TOGETHER = 200;

    private static final Logger LOG = LoggerFactory.getLogger(LaterWrites.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LAST = Duration.ofSeconds(5);

    private final TransactionOperations transactions;
    private final int most;
    /** Guarded by this; first in, first out. */
    private final LinkedHashMap<Object, Runnable> waiting = new LinkedHashMap<>();
    /** Guarded by this. */
    private long dropped;
    /** Guarded by this. */
    private boolean running;

    private @Nullable Thread thread;

    /**
     * Creates the queue.
     *
     * @param transactions transactions of the database; writes that were rolled back are carried
     *     out again, each for itself
     */
    public LaterWrites(TransactionOperations transactions) {
        this(transactions, MOST);
    }

    LaterWrites(TransactionOperations transactions, int most) {
        this.transactions = transactions;
        this.most = most;
    }

    /**
     * Queues a write.
     *
     * @param key identity of what is written; a waiting write of the same key is replaced
     */
    public void run(Object key, Runnable write) {
        synchronized (this) {
            waiting.remove(key);
            waiting.put(key, write);
            if (waiting.size() > most) {
                waiting.pollFirstEntry();
                dropped++;
            }
            notifyAll();
        }
    }

    /** Returns the number of writes that wait. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** Returns the number of writes that were dropped since the start. */
    public synchronized long dropped() {
        return dropped;
    }

    /**
     * Carries out the writes that wait, {@link #TOGETHER} at most. Returns false when none waits,
     * or the database is away.
     */
    boolean runNext() {
        Deque<Map.Entry<Object, Runnable>> next = new ArrayDeque<>();
        synchronized (this) {
            while (!waiting.isEmpty() && next.size() < TOGETHER) {
                next.add(waiting.pollFirstEntry());
            }
        }
        if (next.isEmpty()) {
            return false;
        }
        if (next.size() > 1) {
            try {
                transactions.executeWithoutResult(
                        status -> next.forEach(each -> each.getValue().run()));
                return true;
            } catch (RuntimeException e) {
                if (ControlDataFailure.of(e).isOutage()) {
                    putBack(next);
                    return false;
                }
                LOG.debug("{} writes are carried out one by one: {}", next.size(), e.toString());
            }
        }
        return runEach(next);
    }

    /** Carries out writes one by one, so that one that is refused costs no other. */
    private boolean runEach(Deque<Map.Entry<Object, Runnable>> writes) {
        while (!writes.isEmpty()) {
            Map.Entry<Object, Runnable> first = writes.getFirst();
            try {
                first.getValue().run();
            } catch (RuntimeException e) {
                if (ControlDataFailure.of(e).isOutage()) {
                    putBack(writes);
                    return false;
                }
                LOG.warn("Not carried out: {}: {}", first.getKey(), e.toString());
                synchronized (this) {
                    dropped++;
                }
            }
            writes.removeFirst();
        }
        return true;
    }

    /** Puts writes back to the front, except those of which a newer one of their key came. */
    private synchronized void putBack(Deque<Map.Entry<Object, Runnable>> writes) {
        while (!writes.isEmpty()) {
            Map.Entry<Object, Runnable> last = writes.removeLast();
            if (!waiting.containsKey(last.getKey())) {
                waiting.putFirst(last.getKey(), last.getValue());
            }
        }
    }

    private void serve() {
        while (true) {
            boolean done = runNext();
            synchronized (this) {
                if (!running && (waiting.isEmpty() || !done)) {
                    return;
                }
                if (!done) {
                    try {
                        wait(PAUSE.toMillis());
                    } catch (InterruptedException e) {
                        return; // never interrupted by this service
                    }
                }
            }
        }
    }

    @Override
    public synchronized void start() {
        if (!running) {
            running = true;
            thread = Thread.ofPlatform().name("control-writes").daemon().start(this::serve);
        }
    }

    /** Ends the thread when everything is written; waits 5 s at most. */
    @Override
    public void stop() {
        Thread ending;
        synchronized (this) {
            running = false;
            ending = thread;
            thread = null;
            notifyAll();
        }
        if (ending != null) {
            try {
                ending.join(LAST);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        int left = waiting();
        if (left > 0) {
            LOG.warn("{} writes to the database of control data are lost: it is away", left);
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** Starts before the web server (at {@code MAX_VALUE - 2048}) and stops after it. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE - 4_096;
    }
}
