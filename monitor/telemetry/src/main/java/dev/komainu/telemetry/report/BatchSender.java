package dev.komainu.telemetry.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the oldest batch until it has arrived, then the next: one at a time, so that a source's
 * batches arrive in order. Waits longer after each failure (with jitter, so that many agents do not
 * knock together), and at least as long as {@code Retry-After} asks.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // only the sender thread writes its counters
final class BatchSender implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(BatchSender.class);
    private static final long IDLE_MILLIS = 500;

    private final ReporterSettings settings;
    private final Outbox outbox;
    private final BatchTransport transport;
    private final Quarantine quarantine;
    private final DropCounts drops;
    private final MessageThrottle refusedHush = new MessageThrottle();
    private final MessageThrottle failedHush = new MessageThrottle();
    private final CountDownLatch stop = new CountDownLatch(1);

    // Written by the sender thread only.
    private volatile long sentBatches;
    private volatile long sentRecords;
    private volatile long rejected;
    private volatile long refusals;
    private volatile long failures;
    private volatile @Nullable String lastTrouble;

    private @Nullable String centre;
    private volatile Runnable newCentre = () -> {};
    private volatile Consumer<List<String>> orders = signed -> {};
    private volatile Consumer<Map<String, String>> judged = states -> {};

    private int failuresInARow;
    private volatile long closeDeadline = Long.MAX_VALUE;

    BatchSender(
            ReporterSettings settings,
            Outbox outbox,
            BatchTransport transport,
            Quarantine quarantine,
            DropCounts drops) {
        this.settings = settings;
        this.outbox = outbox;
        this.transport = transport;
        this.quarantine = quarantine;
        this.drops = drops;
    }

    @Override
    public void run() {
        try {
            while (!closing() || goOn()) {
                OutgoingBatch batch = outbox.head(closing() ? 1 : IDLE_MILLIS);
                if (batch != null) {
                    Duration pause = attempt(batch);
                    if (!pause.isZero() && stop.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                        // Closing cuts the wait short, but does not turn it into a storm.
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
            return settle(batch, transport.post(batch));
        } catch (RuntimeException e) {
            // Reporting must outlive its own mistakes: the batch stays, the next attempt comes
            // later.
            failures++;
            failedHush.say(held -> LOG.error("Sending batch {} failed{}", batch.id(), held, e));
            return failed(e.toString(), Duration.ZERO);
        }
    }

    private boolean closing() {
        return stop.getCount() == 0;
    }

    private boolean goOn() {
        return !outbox.isEmpty() && failuresInARow == 0 && System.nanoTime() < closeDeadline;
    }

    /**
     * Ends after the waiting batches are sent, at the first failure, or when this time has passed.
     */
    void stop(Duration within) {
        closeDeadline = System.nanoTime() + within.toNanos();
        stop.countDown();
    }

    /** Acts on an answer; says how long to wait before the next attempt. */
    private Duration settle(OutgoingBatch batch, SendResult answer) {
        switch (answer) {
            case SendResult.Stored stored -> {
                if (failuresInARow > 0) {
                    LOG.info(
                            "Central service answers again; {} records wait",
                            outbox.waitingRecords());
                }
                outbox.done(batch);
                sentBatches++;
                sentRecords += batch.records();
                Duration pause = fine();
                meet(stored.centre());
                take(stored.orders());
                hand(stored.judged());
                return pause;
            }
            case SendResult.Poisoned it -> {
                String why = it.why();
                quarantine.setAside(batch, why);
                outbox.done(batch);
                drops.add(DropCounts.REJECTED, batch.records());
                rejected++;
                LOG.warn(
                        "Batch {} with {} records rejected, set aside: {}",
                        batch.id(),
                        batch.records(),
                        why);
                return fine();
            }
            case SendResult.Refused it -> {
                String why = it.why();
                refusals++;
                refusedHush.say(held -> LOG.warn(
                        "Central service refuses the token in {} (expected: a valid one with scope \"ingest\");"
                                + " records are kept: {}{}",
                        settings.tokenFile(),
                        why,
                        held));
                return failed(why, Duration.ZERO);
            }
            case SendResult.Later it -> {
                String why = it.why();
                failures++;
                failedHush.say(held ->
                        LOG.warn("Central service cannot take batches now: {}{}", why, held));
                return failed(why, it.after());
            }
            case SendResult.Unreachable it -> {
                String why = it.why();
                failures++;
                outbox.reachable(false);
                failedHush.say(held -> LOG.warn(
                        "Central service {} cannot be reached; records are kept: {}{}",
                        settings.central(),
                        why,
                        held));
                return failed(why, Duration.ZERO);
            }
        }
    }

    /**
     * A centre that started after this reporter last heard of one may know nothing of what was told
     * before. The first one met is new only when something was lost on the way to it.
     */
    private void meet(@Nullable String answered) {
        if (answered == null || answered.equals(centre)) {
            return;
        }
        boolean isNew = centre != null || !drops.snapshot().isEmpty();
        centre = answered;
        if (isNew) {
            LOG.info("Central service started anew; standing facts are told again");
            try {
                newCentre.run();
            } catch (RuntimeException e) {
                LOG.warn("Standing facts could not be told again", e);
            }
        }
    }

    private void take(List<String> signed) {
        if (!signed.isEmpty()) {
            try {
                orders.accept(signed);
            } catch (RuntimeException e) {
                LOG.warn("Orders could not be taken", e);
            }
        }
    }

    private void hand(Map<String, String> states) {
        try {
            judged.accept(states);
        } catch (RuntimeException e) {
            LOG.warn("What was thought of servers could not be taken", e);
        }
    }

    void onJudged(Consumer<Map<String, String>> taker) {
        judged = taker;
    }

    void onOrders(Consumer<List<String>> taker) {
        orders = taker;
    }

    void onNewCentre(Runnable tellAgain) {
        newCentre = tellAgain;
    }

    private Duration fine() {
        failuresInARow = 0;
        lastTrouble = null;
        outbox.reachable(true);
        return Duration.ZERO;
    }

    private Duration failed(String why, Duration atLeast) {
        lastTrouble = why;
        long most = settings.retryMost().toMillis();
        long wait =
                Math.min(most, settings.retryFirst().toMillis() << Math.min(failuresInARow, 20));
        failuresInARow++;
        wait = wait / 2 + ThreadLocalRandom.current().nextLong(wait / 2 + 1);
        return Duration.ofMillis(Math.max(Math.max(1, wait), atLeast.toMillis()));
    }

    ReporterStatus status(int queued) {
        return new ReporterStatus(
                sentBatches,
                sentRecords,
                rejected,
                refusals,
                failures,
                queued,
                outbox.waitingRecords(),
                outbox.spoolBytes(),
                lastTrouble);
    }
}
