package dev.komainu.central.capacity;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Lets every service be looked at from time to time, on one thread, for as long as the central
 * service runs.
 */
final class CapacityRounds implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(CapacityRounds.class);

    /** After a start there are more urgent things. */
    private static final long FIRST_SECONDS = 60;

    private final Capacities capacities;
    private @Nullable ScheduledExecutorService thread;

    CapacityRounds(Capacities capacities) {
        this.capacities = capacities;
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("capacity").daemon().factory());
        // A round that throws would end the series silently.
        var unused = started.scheduleWithFixedDelay(
                this::safely,
                FIRST_SECONDS,
                capacities.settings().refresh().toSeconds(),
                TimeUnit.SECONDS);
        thread = started;
    }

    private void safely() {
        try {
            capacities.round();
        } catch (RuntimeException e) {
            LOG.warn("A look at all capacities failed and is left out: {}", e.toString(), e);
        }
    }

    /** Waits for the service now looked at: the store is closed after this. */
    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
            try {
                if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                    LOG.info("A look at a capacity is still under way at the end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            thread = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}
