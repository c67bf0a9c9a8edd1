package dev.komainu.agent;

import dev.komainu.agent.host.HostSettings;
import dev.komainu.agent.host.SamplingTrigger;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * When the host is sampled: every ten seconds, every second while a state is in doubt, and at once
 * when doubt begins. All on the agent's clock, except {@link #heard}.
 */
final class HostSampleSchedule {

    /** How long system calls are counted; longer slows the watched server without telling more. */
    private static final long COUNT_MILLIS = 100;

    private static final long COUNT_EVERY_NANOS = TimeUnit.SECONDS.toNanos(9);

    private final HostSettings settings;
    private final ScheduledExecutorService clock;
    private final Runnable sample;
    private final HostTask round;
    private final SamplingTrigger doubt = new SamplingTrigger();

    // The clock's thread only.
    private @Nullable ScheduledFuture<?> next;
    private long plannedNanos;
    private long countedNanos;
    private boolean told;

    /** @param guard wraps what runs on the clock, so that a failing look does not end it */
    HostSampleSchedule(
            HostSettings settings,
            ScheduledExecutorService clock,
            HostTask round,
            UnaryOperator<Runnable> guard) {
        this.settings = settings;
        this.clock = clock;
        this.round = round;
        this.sample = guard.apply(this::sample);
    }

    /**
     * The first sample comes this long from now, whatever the interval. Any thread; returns at
     * once.
     */
    void start(long firstMillis) {
        // On the clock's thread: from here the first turn could be over, and what it planned be
        // overwritten.
        clock.execute(() -> {
            plannedNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(firstMillis);
            next = clock.schedule(this::turn, firstMillis, TimeUnit.MILLISECONDS);
        });
    }

    /** Takes what packets say. Any thread; returns at once. */
    void heard(ServiceWindow window) {
        if (settings.doubts() && doubt.onWindow(window, System.nanoTime())) {
            try {
                clock.execute(this::hurry);
            } catch (RejectedExecutionException e) {
                // Closing: nobody samples any more.
            }
        }
    }

    private void hurry() {
        ScheduledFuture<?> waiting = next;
        if (waiting != null
                && waiting.getDelay(TimeUnit.NANOSECONDS)
                        > settings.doubtInterval().toNanos()
                && waiting.cancel(false)) {
            plannedNanos = System.nanoTime();
            turn();
        }
    }

    private void turn() {
        sample.run();
        long now = System.nanoTime();
        boolean inDoubt = settings.doubts() && doubt.reason(now) != null;
        long interval = (inDoubt ? settings.doubtInterval() : settings.interval()).toNanos();
        // Planned, not counted from now: rounds keep their beat. After a standstill the beat begins
        // anew.
        plannedNanos = Math.max(
                plannedNanos + interval,
                now + Math.min(interval, TimeUnit.MILLISECONDS.toNanos(100)));
        try {
            next = clock.schedule(this::turn, plannedNanos - now, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            next = null;
        }
    }

    private void sample() {
        HostSample made = round.sample();
        long now = System.nanoTime();
        if (made != null && settings.doubts()) {
            doubt.onSample(made, now);
            tell(doubt.reason(now), now);
        }
        if (settings.countsSystemCalls()
                && now - countedNanos > COUNT_EVERY_NANOS
                && round.beginCountingCalls()) {
            countedNanos = now;
            try {
                clock.schedule(round::endCountingCalls, COUNT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                round.endCountingCalls();
            }
        }
    }

    private void tell(@Nullable String reason, long nowNanos) {
        if (reason != null && !told) {
            System.err.println("agent: in doubt, sampling every "
                    + settings.doubtInterval().toSeconds() + " s: " + reason);
        } else if (reason == null && told) {
            SamplingTrigger.Totals spent = doubt.totals(nowNanos);
            System.err.println(
                    "agent: no longer in doubt; since the start " + spent.times() + " times, "
                            + spent.seconds() + " s in all"
                            + (spent.lasting().isEmpty()
                                    ? ""
                                    : "; stays, so known and not heard for a while: "
                                            + String.join(", ", spent.lasting())));
        }
        told = reason != null;
    }
}
