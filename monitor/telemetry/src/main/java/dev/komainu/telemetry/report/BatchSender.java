package dev.komainu.telemetry.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sender of batches, oldest first: it sends one batch until it has arrived, then the next, so
 * that a source's batches arrive in order. After each failure it waits longer.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // only the sender thread writes its counters
final class BatchSender implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(BatchSender.class);
    private static final long IDLE_MILLIS = 500;

    private final ReporterSettings settings;
    private final Outbox outbox;
    private final BatchRoute route;
    private final Quarantine quarantine;
    private final DropCounts drops;
    private final boolean hasCertificate;
    private final MessageThrottle refusedThrottle = new MessageThrottle();
    private final MessageThrottle failedThrottle = new MessageThrottle();
    private final CountDownLatch stop = new CountDownLatch(1);

    // Written by the sender thread only.
    private volatile long sentBatches;
    private volatile long sentRecords;
    private volatile long rejected;
    private volatile long refusals;
    private volatile long failures;
    private volatile @Nullable String lastFailure;

    private @Nullable String centralRun;
    /** The problem with the certificate that was told. */
    private @Nullable String toldProblem;

    private volatile Runnable restartListener = () -> {};
    private volatile Consumer<List<String>> orderListener = signed -> {};
    private volatile Consumer<Map<String, String>> stateListener = states -> {};
    private volatile Consumer<Set<String>> detailListener = services -> {};
    private volatile Consumer<Set<String>> revocationListener = parts -> {};

    private final RetryPauses pauses;
    private volatile long closeDeadline = Long.MAX_VALUE;

    BatchSender(
            ReporterSettings settings,
            Outbox outbox,
            BatchRoute route,
            Quarantine quarantine,
            DropCounts drops,
            boolean hasCertificate) {
        this.settings = settings;
        this.outbox = outbox;
        this.route = route;
        this.quarantine = quarantine;
        this.drops = drops;
        this.hasCertificate = hasCertificate;
        pauses = new RetryPauses(
                settings.retryFirst(), settings.retryMost(), new SplittableRandom());
    }

    @Override
    public void run() {
        try {
            while (!closing() || shouldContinue()) {
                OutgoingBatch batch = outbox.head(closing() ? 1 : IDLE_MILLIS);
                if (batch != null) {
                    Duration pause = attempt(batch);
                    if (!pause.isZero() && stop.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                        // A close shortens the wait, but not so much that retries overload the
                        // central service.
                        Thread.sleep(Math.min(20, pause.toMillis()));
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration attempt(OutgoingBatch batch) {
        try {
            return handle(batch, route.post(batch));
        } catch (RuntimeException e) {
            // An unexpected error must not end reporting: the batch stays and is sent again later.
            failures++;
            failedThrottle.report(suppressed ->
                    LOG.error("Sending batch {} failed{}", batch.id(), suppressed, e));
            return failed(e.toString(), Duration.ZERO, Duration.ZERO);
        }
    }

    private boolean closing() {
        return stop.getCount() == 0;
    }

    private boolean shouldContinue() {
        return !outbox.isEmpty() && !pauses.failing() && System.nanoTime() < closeDeadline;
    }

    /**
     * Stops after the waiting batches are sent, at the first failure, or when this time has passed.
     */
    void stop(Duration within) {
        closeDeadline = System.nanoTime() + within.toNanos();
        stop.countDown();
    }

    /** Processes a response. Returns the wait before the next attempt. */
    private Duration handle(OutgoingBatch batch, SendResult result) {
        switch (result) {
            case SendResult.Stored stored -> {
                if (pauses.failing()) {
                    LOG.info(
                            "Central service responds again; {} records waiting",
                            outbox.waitingRecords());
                }
                outbox.remove(batch);
                toldProblem = null;
                sentBatches++;
                sentRecords += batch.records();
                Duration pause = succeeded();
                checkCentralRun(stored.centralRun());
                deliverOrders(stored.orders());
                deliverStates(stored.judged());
                detailListener.accept(stored.detailed());
                revocationListener.accept(stored.revoked());
                return pause;
            }
            case SendResult.Poisoned poisoned -> {
                String reason = poisoned.reason();
                quarantine.store(batch, reason);
                outbox.remove(batch);
                drops.add(DropCounts.REJECTED, batch.records());
                rejected++;
                LOG.warn(
                        "Batch {} with {} records rejected and stored in the quarantine: {}",
                        batch.id(),
                        batch.records(),
                        reason);
                return succeeded();
            }
            case SendResult.Refused refused -> {
                String reason = refused.reason();
                refusals++;
                tellRefused(refused);
                return failed(reason, Duration.ZERO, Duration.ZERO);
            }
            case SendResult.Deferred deferred -> {
                String reason = deferred.reason();
                failures += deferred.elsewhere() ? 0 : 1;
                failedThrottle.report(suppressed -> LOG.warn(
                        "Central service does not accept batches now: {}{}", reason, suppressed));
                return failed(reason, deferred.after(), deferred.asked());
            }
            case SendResult.Unreachable unreachable -> {
                String reason = unreachable.reason();
                outbox.reachable(false);
                failedThrottle.report(suppressed -> LOG.warn(
                        "Central service {} cannot be reached; records are kept: {}{}",
                        settings.central(),
                        reason,
                        suppressed));
                return failed(reason, Duration.ZERO, Duration.ZERO);
            }
        }
    }

    /**
     * Tells a refused certificate once, until batches are stored again or the problem is another
     * one: only an operator can solve it. A refused token is told once a minute.
     */
    private void tellRefused(SendResult.Refused refused) {
        String problem = refused.certificate();
        if (problem != null) {
            if (!problem.equals(toldProblem)) {
                toldProblem = problem;
                LOG.error("{}. Records are kept", refused.reason());
            }
        } else if (hasCertificate) {
            refusedThrottle.report(suppressed -> LOG.warn(
                    "Central service refuses the batches of this part; records are kept: {}{}",
                    refused.reason(),
                    suppressed));
        } else {
            refusedThrottle.report(suppressed -> LOG.warn(
                    "Central service refuses the token in {} (expected: a valid one with scope \"ingest\");"
                            + " records are kept: {}{}",
                    settings.tokenFile(),
                    refused.reason(),
                    suppressed));
        }
    }

    /**
     * Detects a restart of the central service, whose new run may lack the facts sent before. The
     * first run counts as a restart only when records were dropped before it was reached.
     */
    private void checkCentralRun(@Nullable String currentRun) {
        if (currentRun == null || currentRun.equals(centralRun)) {
            return;
        }
        boolean isNew = centralRun != null || !drops.snapshot().isEmpty();
        centralRun = currentRun;
        if (isNew) {
            LOG.info("Central service restarted; sending standing facts again");
            try {
                restartListener.run();
            } catch (RuntimeException e) {
                LOG.warn("Standing facts could not be sent again", e);
            }
        }
    }

    private void deliverOrders(List<String> signed) {
        if (!signed.isEmpty()) {
            try {
                orderListener.accept(signed);
            } catch (RuntimeException e) {
                LOG.warn("Orders could not be processed", e);
            }
        }
    }

    private void deliverStates(Map<String, String> states) {
        try {
            stateListener.accept(states);
        } catch (RuntimeException e) {
            LOG.warn("Server states could not be processed", e);
        }
    }

    void onJudged(Consumer<Map<String, String>> listener) {
        stateListener = listener;
    }

    void onDetailed(Consumer<Set<String>> listener) {
        detailListener = listener;
    }

    /**
     * Sets the listener for parts that have lost their identity.
     *
     * @param listener called on the sender's thread with every response; must not fail
     */
    void onRevoked(Consumer<Set<String>> listener) {
        revocationListener = listener;
    }

    void onOrders(Consumer<List<String>> listener) {
        orderListener = listener;
    }

    void onCentralRestart(Runnable listener) {
        restartListener = listener;
    }

    private Duration succeeded() {
        pauses.succeeded();
        lastFailure = null;
        outbox.reachable(true);
        return Duration.ZERO;
    }

    private Duration failed(String reason, Duration atLeast, Duration asked) {
        lastFailure = reason;
        return pauses.failed(atLeast, asked);
    }

    ReporterStatus status(int queued) {
        return new ReporterStatus(
                sentBatches,
                sentRecords,
                rejected,
                refusals,
                failures + route.failures(),
                queued,
                outbox.waitingRecords(),
                outbox.spoolBytes(),
                lastFailure,
                route.inUse().toString(),
                route.changes());
    }
}
