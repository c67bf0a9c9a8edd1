package dev.komainu.central.control;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The queue of writes that nothing waits for: what the fleet, the states and the baselines remember
 * over a restart; and of readings for pages, which must see these writes. One thread carries them
 * out in their order, and waits while the database is away, so that neither ingest nor the
 * assessment does. Any thread.
 *
 * <p>With H2, which is in this process and never away, each write is carried out at once, by the
 * caller. A kill of the process loses what waits; with PostgreSQL that is the writes of the last
 * moment, or of the outage.
 *
 * <table><caption>Limits</caption>
 * <tr><th>name</th><th>value</th><th>consequence</th></tr>
 * <tr><td>{@link #MOST}</td><td>50,000</td><td>the oldest write is dropped, and counted</td></tr>
 * </table>
 */
public final class LaterWrites implements SmartLifecycle {

    /** Largest number of writes that wait. */
    static final int MOST = 50_000;

    private static final Logger LOG = LoggerFactory.getLogger(LaterWrites.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LAST = Duration.ofSeconds(5);

    private final boolean atOnce;
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
     * @param atOnce whether the caller carries out each write itself
     */
    public LaterWrites(boolean atOnce) {
        this(atOnce, MOST);
    }

    LaterWrites(boolean atOnce, int most) {
        this.atOnce = atOnce;
        this.most = most;
    }

    /**
     * Carries out a write, or queues it.
     *
     * @param key identity of what is written; a waiting write of the same key is replaced
     */
    public void run(Object key, Runnable write) {
        if (atOnce) {
            write.run();
            return;
        }
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

    /** Carries out the first write. Returns false when none waits, or the database is away. */
    boolean runFirst() {
        Map.Entry<Object, Runnable> first;
        synchronized (this) {
            first = waiting.pollFirstEntry();
        }
        if (first == null) {
            return false;
        }
        try {
            first.getValue().run();
            return true;
        } catch (RuntimeException e) {
            if (ControlDataFailure.of(e).isOutage()) {
                putBack(first);
                return false;
            }
            LOG.warn("Not carried out: {}: {}", first.getKey(), e.toString());
            synchronized (this) {
                dropped++;
            }
            return true;
        }
    }

    /** Puts a write back to the front, unless a newer one of its key came meanwhile. */
    private synchronized void putBack(Map.Entry<Object, Runnable> first) {
        if (!waiting.containsKey(first.getKey())) {
            waiting.putFirst(first.getKey(), first.getValue());
        }
    }

    private void serve() {
        while (true) {
            boolean done = runFirst();
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
            if (!atOnce) {
                thread = Thread.ofPlatform().name("control-writes").daemon().start(this::serve);
            }
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
