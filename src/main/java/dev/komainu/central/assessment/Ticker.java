package dev.komainu.central.assessment;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** The timer of the assessor: one tick a second, on one thread, until the service stops. */
final class Ticker implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(Ticker.class);

    /**
     * Milliseconds after the start of a second at which the tick runs. Agents report a second 0.3
     * to 0.8 s after its end; with this phase a crash is detected a second earlier than with a bad
     * one.
     */
    private static final long PHASE_MILLIS = 850;

    private static final long SECOND_MILLIS = 1_000;

    /**
     * Tolerance in milliseconds: timers may fire a little early, and the same second must not be
     * judged twice.
     */
    private static final long EARLY_MILLIS = 50;

    private final Assessor assessor;
    private @Nullable ScheduledExecutorService thread;

    Ticker(Assessor assessor) {
        this.assessor = assessor;
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("assessment").daemon().factory());
        thread = started;
        next(started);
    }

    /**
     * Schedules the next tick at the same phase of a second; a tick that takes longer skips the
     * seconds it used.
     */
    private void next(ScheduledExecutorService on) {
        long wait = Math.floorMod(PHASE_MILLIS - System.currentTimeMillis(), SECOND_MILLIS);
        try {
            var unused = on.schedule(
                    () -> {
                        try {
                            safely();
                        } finally {
                            next(on);
                        }
                    },
                    wait <= EARLY_MILLIS ? wait + SECOND_MILLIS : wait,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("No further assessment: {}", e.toString());
        }
    }

    private void safely() {
        try {
            assessor.tick();
        } catch (RuntimeException e) {
            LOG.warn("An assessment failed and is skipped: {}", e.toString(), e);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdown();
            try {
                if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                    LOG.warn("The last assessment has not ended within 5 s");
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
