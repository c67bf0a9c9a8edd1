package dev.komainu.central.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that measures the server every ten seconds, and its logs every ten minutes. It is not
 * the writer's: a server that hangs must not be asked for its size before the next batch.
 */
final class ClickHouseWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseWatch.class);
    private static final long EVERY_NANOS = 10_000_000_000L;
    private static final int LOGS_EVERY = 60;
    private static final Duration LAST = Duration.ofSeconds(5);

    private final ClickHouseMeter meter;
    private final SystemLogs logs;
    /** Guarded by this. */
    private @Nullable Thread thread;

    ClickHouseWatch(ClickHouseMeter meter, SystemLogs logs) {
        this.meter = meter;
        this.logs = logs;
    }

    synchronized void start() {
        thread = Thread.ofPlatform().name("komainu-records").daemon().start(this::run);
    }

    private void run() {
        int round = 0;
        while (isRunning()) {
            try {
                if (round++ % LOGS_EVERY == 0) {
                    logs.look();
                }
                meter.measure();
            } catch (RuntimeException e) {
                LOG.warn("Store: server not observed: {}", e.toString());
            }
            if (!pause()) {
                return;
            }
        }
    }

    private synchronized boolean isRunning() {
        return thread != null;
    }

    private synchronized boolean pause() {
        long until = System.nanoTime() + EVERY_NANOS;
        try {
            for (long left = EVERY_NANOS;
                    thread != null && left > 0;
                    left = until - System.nanoTime()) {
                wait(left / 1_000_000 + 1);
            }
            return thread != null;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Ends the thread, also while it waits for a response. */
    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            ending = thread;
            thread = null;
            notifyAll();
        }
        if (ending != null) {
            ending.interrupt();
            try {
                ending.join(LAST);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
