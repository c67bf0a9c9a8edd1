package dev.komainu.central.assessment;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Lets the assessor judge once a second, on one thread, for as long as the service runs. */
final class Ticker implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(Ticker.class);

    private final Assessor assessor;
    private @Nullable ScheduledExecutorService thread;

    Ticker(Assessor assessor) {
        this.assessor = assessor;
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("assessment").daemon().factory());
        // A tick that throws would end the series silently.
        var unused = started.scheduleAtFixedRate(this::safely, 1_000, 1_000, TimeUnit.MILLISECONDS);
        thread = started;
    }

    private void safely() {
        try {
            assessor.tick();
        } catch (RuntimeException e) {
            LOG.warn("An assessment failed and is left out: {}", e.toString(), e);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            // Not interrupted: in the middle of a write that would close the database's file.
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
