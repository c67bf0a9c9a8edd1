package dev.komainu.central.incident;

import dev.komainu.central.control.ControlRetry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of incidents, on a thread of its own, so that the database does not block the
 * assessment. While the database is away, incidents wait. An incident for which the queue has no
 * room, or that the database refuses, is counted; its next change stores it whole.
 */
final class IncidentKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(IncidentKeeper.class);

    private static final int QUEUE = 1_000;
    private static final long END_SECONDS = 5;

    private final IncidentTable table;
    private final IncidentSettings settings;
    private final Clock clock;
    private final MeterRegistry meters;
    private final ControlRetry retry = new ControlRetry();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            Thread.ofPlatform().name("incidents").daemon().factory());

    IncidentKeeper(
            IncidentTable table, IncidentSettings settings, Clock clock, MeterRegistry meters) {
        this.table = table;
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
    }

    /** Queues an incident for the writer and returns at once. */
    void accept(Incident incident) {
        try {
            thread.execute(() -> save(incident));
        } catch (RejectedExecutionException e) {
            notStored("queue-full").increment();
        }
    }

    private void save(Incident incident) {
        try {
            if (!retry.run(() -> table.save(incident), () -> !thread.isShutdown())) {
                notStored("database").increment();
            } else if (incident.ended() != null) {
                table.deleteEnded(clock.instant(), settings.historyDays());
            }
        } catch (RuntimeException e) {
            notStored("database").increment();
            LOG.warn(
                    "The incident at {} of {} was not stored: {}",
                    incident.root(),
                    incident.began(),
                    e.toString());
        }
    }

    private Counter notStored(String reason) {
        return Counter.builder("komainu.incidents.lost")
                .tag("reason", reason)
                .description("Changes of incidents that were not stored")
                .register(meters);
    }

    /**
     * Completes what is queued. The thread is not interrupted, because that would close the
     * database's file.
     */
    @Override
    public void close() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
            LOG.warn(
                    "{} changes of incidents were not stored", thread.getQueue().size());
        }
    }
}
