package dev.komainu.agent;

import dev.komainu.agent.host.HostSettings;
import dev.komainu.agent.host.SamplingTrigger;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Schedule of the host samples: every ten seconds, every second while a state is in doubt, and at
 * once when doubt begins. All on the agent's clock thread, except {@link #onWindow}.
 */
final class HostSampleSchedule {

    /**
     * Time that system calls are counted, in milliseconds; a longer count slows the watched server
     * and gives no better value.
     */
    private static final long COUNT_MILLIS = 100;

    private static final long COUNT_EVERY_NANOS = TimeUnit.SECONDS.toNanos(9);

    private final HostSettings settings;
    private final ScheduledExecutorService clock;
    private final Runnable sample;
    private final HostTask task;
    private final SamplingTrigger doubt = new SamplingTrigger();

    // The clock's thread only.
    private @Nullable ScheduledFuture<?> next;
    private long plannedNanos;
    private long countedNanos;
    private boolean reported;

    /**
     * Creates a schedule that is not started.
     *
     * @param guard wraps the tasks on the clock thread, so that a failure does not end the schedule
     */
    HostSampleSchedule(
            HostSettings settings,
            ScheduledExecutorService clock,
            HostTask task,
            UnaryOperator<Runnable> guard) {
        this.settings = settings;
        this.clock = clock;
        this.task = task;
        this.sample = guard.apply(this::sample);
    }

    /**
     * Starts the schedule. The first sample comes {@code firstMillis} milliseconds from now,
     * whatever the interval. Any thread; returns at once.
     */
    void start(long firstMillis) {
        // On the clock's thread: otherwise the first turn could already be over,
        // and its plan be overwritten here.
        clock.execute(() -> {
            plannedNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(firstMillis);
            next = clock.schedule(this::tick, firstMillis, TimeUnit.MILLISECONDS);
        });
    }

    /** Evaluates a window of the packets. Any thread; returns at once. */
    void onWindow(ServiceWindow window) {
        if (settings.doubts() && doubt.onWindow(window, System.nanoTime())) {
            try {
                clock.execute(this::sampleNow);
            } catch (RejectedExecutionException e) {
                // Closing: no more samples are needed.
            }
        }
    }

    /** Evaluates servers that no longer listen. The clock's thread. */
    void onDepartures(List<String> services) {
        sampleIfDoubtBegins(services, doubt::onDeparture);
    }

    /**
     * Evaluates services of which many of the newly logged responses failed. The clock's thread.
     */
    void onFailedResponses(List<String> services) {
        sampleIfDoubtBegins(services, doubt::onFailedResponses);
    }

    /** Evaluates parts of the host that changed. The clock's thread. */
    void onChangedParts(List<String> parts) {
        sampleIfDoubtBegins(parts, doubt::onPart);
    }

    /** Evaluates an event of each service, and samples at once when doubt begins. */
    private void sampleIfDoubtBegins(List<String> services, BiPredicate<String, Long> beginsDoubt) {
        boolean begins = false;
        for (String service : services) {
            begins |= settings.doubts() && beginsDoubt.test(service, System.nanoTime());
        }
        if (begins) {
            sampleNow();
        }
    }

    private void sampleNow() {
        ScheduledFuture<?> waiting = next;
        if (waiting != null
                && waiting.getDelay(TimeUnit.NANOSECONDS)
                        > settings.doubtInterval().toNanos()
                && waiting.cancel(false)) {
            plannedNanos = System.nanoTime();
            tick();
        }
    }

    private void tick() {
        sample.run();
        long now = System.nanoTime();
        boolean inDoubt = settings.doubts() && doubt.reason(now) != null;
        long interval = (inDoubt ? settings.doubtInterval() : settings.interval()).toNanos();
        // Planned, not counted from now: the rhythm stays even. After a standstill it begins again.
        plannedNanos = Math.max(
                plannedNanos + interval,
                now + Math.min(interval, TimeUnit.MILLISECONDS.toNanos(100)));
        try {
            next = clock.schedule(this::tick, plannedNanos - now, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            next = null;
        }
    }

    // endCountingCalls reads a counter; a failure only leaves the rate without a value.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void sample() {
        HostSample hostSample =
                task.sample(settings.doubts() && doubt.reason(System.nanoTime()) != null);
        long now = System.nanoTime();
        if (hostSample != null && settings.doubts()) {
            doubt.onSample(hostSample, now);
            reportDoubt(doubt.reason(now), now);
        }
        if (settings.countsSystemCalls()
                && now - countedNanos > COUNT_EVERY_NANOS
                && task.beginCountingCalls()) {
            countedNanos = now;
            try {
                clock.schedule(task::endCountingCalls, COUNT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                task.endCountingCalls();
            }
        }
    }

    private void reportDoubt(@Nullable String reason, long nowNanos) {
        if (reason != null && !reported) {
            System.err.println("agent: in doubt, sampling every "
                    + settings.doubtInterval().toSeconds() + " s: " + reason);
        } else if (reason == null && reported) {
            SamplingTrigger.Totals spent = doubt.totals(nowNanos);
            System.err.println(
                    "agent: no longer in doubt; since the start " + spent.times() + " times, "
                            + spent.seconds() + " s in all"
                            + (spent.lasting().isEmpty()
                                    ? ""
                                    : "; lasting causes, ignored for a while: "
                                            + String.join(", ", spent.lasting())));
        }
        reported = reason != null;
    }
}
