package dev.komainu.central.capacity;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The periodic computation of all capacities, on one thread. It uses at most one twentieth of a
 * core, so with many services a round takes longer than the interval between two.
 */
final class CapacityRounds implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(CapacityRounds.class);

    /** Delay of the first round, since a start has more urgent work. */
    private static final long FIRST_SECONDS = 60;

    /** Pause after each part, as a multiple of the time that the part took. */
    private static final long PAUSE_FACTOR = 19;

    private final Capacities capacities;
    private @Nullable ScheduledExecutorService thread;

    CapacityRounds(Capacities capacities) {
        this.capacities = capacities;
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("capacity").daemon().factory());
        // An exception in a round would end the schedule without a message.
        var unused = started.scheduleWithFixedDelay(
                this::safely,
                FIRST_SECONDS,
                capacities.settings().refresh().toSeconds(),
                TimeUnit.SECONDS);
        thread = started;
    }

    private void safely() {
        try {
            capacities.round(nanos -> TimeUnit.NANOSECONDS.sleep(PAUSE_FACTOR * nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("A round over all capacities failed and is skipped: {}", e.toString(), e);
        }
    }

    /** Waits for the computation in progress, since the store is closed after this. */
    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
            try {
                if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                    LOG.info("The computation of a capacity is still in progress at the end");
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
