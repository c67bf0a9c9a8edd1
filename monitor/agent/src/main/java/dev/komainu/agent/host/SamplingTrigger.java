package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The detector of states in doubt, in which the host is sampled every second: before it saturates,
 * not after. It evaluates the windows and samples that the agent collects anyway, with a few
 * comparisons each.
 *
 * <pre>
 *  CALM ── a cause ──▶ DOUBT ── no cause for 30 s ──▶ CALM
 *                        └──── 5 min without a break ──▶ REST ── 5 min ──▶ CALM
 *                        ◀── a new cause ─────────────────┘
 * </pre>
 *
 * The rest limits the cost: the same causes spend at most half of the time at the short interval. A
 * cause that persists for hours is known, not in doubt: when it outlasts a doubt of full length, it
 * may raise doubt again only after 5 min, then after 10, 20, 40 min, then every hour, until it has
 * been absent for as long. Other causes are not suppressed. A machine that is always busy therefore
 * spends some 8 % of its time at the short interval. Any thread.
 */
public final class SamplingTrigger {

    static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);
    static final long REST_NANOS = TimeUnit.MINUTES.toNanos(5);
    static final long LONGEST_REST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Maximum number of suppressed causes; further ones may raise doubt after the usual rest. */
    private static final int MAX_LASTING = 4_000;

    /** Maximum number of services; further services raise no doubt. */
    private static final int MAX_SERVICES = 1_000;

    private static final double FULL_QUEUE = 0.5;
    private static final double PRESSED_CPU = 60;
    private static final double PRESSED_MEMORY = 10;
    private static final double PRESSED_IO = 40;
    private static final double FAILED_SHARE = 0.3;
    private static final double LEAST_FAILED_PER_SECOND = 0.5;
    private static final double LEAST_MEMORY = 0.1;
    /** Threshold in seconds until memory is exhausted at its current rate of decrease. */
    private static final double MEMORY_SECONDS = 120;

    private static final double SWAPPED_PAGES = 100;

    private enum State {
        CALM,
        DOUBT,
        REST
    }

    // Guarded by this.
    private final Map<String, ServiceDeviation> deviations = new HashMap<>();
    private State state = State.CALM;
    private long sinceNanos;
    private long lastCauseNanos;
    private @Nullable String reason;
    /** The causes that raised or prolonged this doubt, with the time each was last seen. */
    private final Map<String, Long> causes = new HashMap<>();

    /** The causes of the doubt before the current rest. */
    private final Set<String> causesBeforeRest = new HashSet<>();

    private final Map<String, PersistentCause> lasting = new HashMap<>();
    private long times;
    private long nanosBefore;
    private double memoryBefore = Double.NaN;

    /**
     * A cause that outlasted a doubt of full length, suppressed until a time, and the length of
     * that suppression.
     */
    private record PersistentCause(long untilNanos, long restNanos) {}

    /**
     * Totals since the start.
     *
     * @param times number of doubts
     * @param seconds their total length
     * @param lasting causes that persist and are suppressed now
     */
    public record Totals(long times, long seconds, List<String> lasting) {
        public Totals {
            lasting = List.copyOf(lasting);
        }
    }

    /** Evaluates a window of any service and reports whether a doubt begins. */
    public synchronized boolean onWindow(ServiceWindow window, long nowNanos) {
        ServiceDeviation deviation = deviations.get(window.service());
        if (deviation == null) {
            if (deviations.size() >= MAX_SERVICES) {
                return false;
            }
            deviation = new ServiceDeviation();
            deviations.put(window.service(), deviation);
        }
        String cause = deviation.evaluate(window);
        if (cause == null) {
            return false;
        }
        String named = window.service() + ": " + cause;
        return raise(named, named, nowNanos);
    }

    /** Evaluates a sample and reports whether a doubt begins. */
    public synchronized boolean onSample(HostSample sample, long nowNanos) {
        boolean begins = false;
        for (HostSample.Listener listener : sample.network().listeners()) {
            if (listener.service() != null
                    && listener.limit() > 0
                    && listener.queue() >= listener.limit() * FULL_QUEUE) {
                String queue = "listen queue of " + listener.service();
                begins |= raise(
                        queue,
                        queue + " at " + listener.queue() + " of " + listener.limit(),
                        nowNanos);
            }
        }
        for (HostSample.ServerProcesses server : sample.servers()) {
            HostSample.ThreadStates states = server.details().states();
            if (states != null && states.stoppedShare() > 0) {
                String stopped = server.service() + ": threads are stopped";
                begins |= raise(stopped, stopped, nowNanos);
            }
            if (isFailing(server.details().logged())) {
                begins |= onFailedResponses(server.service(), nowNanos);
            }
        }
        for (String cause : causes(sample)) {
            begins |= raise(cause, cause, nowNanos);
        }
        memoryBefore = sample.resources().memory().available();
        return begins;
    }

    /** Evaluates a server that no longer listens and reports whether a doubt begins. */
    public synchronized boolean onDeparture(String service, long nowNanos) {
        String gone = service + ": no longer listens";
        return raise(gone, gone, nowNanos);
    }

    /** Evaluates a part of the host that changed and reports whether a doubt begins. */
    public synchronized boolean onPart(String part, long nowNanos) {
        return raise(part, part, nowNanos);
    }

    /**
     * Evaluates a service of which many of the newly logged responses failed, and reports whether a
     * doubt begins.
     */
    public synchronized boolean onFailedResponses(String service, long nowNanos) {
        String failing = service + ": logged responses fail";
        return raise(failing, failing, nowNanos);
    }

    /** Returns the totals since the start. */
    public synchronized Totals totals(long nowNanos) {
        updateState(nowNanos);
        long now = state == State.DOUBT ? nowNanos - sinceNanos : 0;
        return new Totals(
                times,
                TimeUnit.NANOSECONDS.toSeconds(nanosBefore + now),
                lasting.keySet().stream()
                        .filter(kind -> isSuppressed(kind, nowNanos))
                        .sorted()
                        .toList());
    }

    /** Returns the reason of the current doubt; null without a doubt. */
    public synchronized @Nullable String reason(long nowNanos) {
        updateState(nowNanos);
        return state == State.DOUBT ? reason : null;
    }

    /**
     * Adds a cause and reports whether a doubt begins.
     *
     * @param kind the same text each time; {@code cause} may contain figures
     */
    private boolean raise(String kind, String cause, long nowNanos) {
        updateState(nowNanos);
        if ((state == State.REST && causesBeforeRest.contains(kind))
                || isSuppressed(kind, nowNanos)) {
            return false;
        }
        lastCauseNanos = nowNanos;
        causes.put(kind, nowNanos);
        boolean begins = state != State.DOUBT;
        if (begins) {
            times++;
            state = State.DOUBT;
            sinceNanos = nowNanos;
            reason = cause;
        }
        return begins;
    }

    private void updateState(long nowNanos) {
        if (state == State.DOUBT && nowNanos - sinceNanos >= MOST_NANOS) {
            leave(State.REST, nowNanos);
            causesBeforeRest.clear();
            causesBeforeRest.addAll(causes.keySet());
            causes.forEach((kind, seenNanos) -> {
                if (nowNanos - seenNanos < HOLD_NANOS) {
                    suppress(kind, nowNanos);
                }
            });
            causes.clear();
        } else if (state == State.DOUBT && nowNanos - lastCauseNanos >= HOLD_NANOS) {
            leave(State.CALM, nowNanos);
            causes.clear();
        } else if (state == State.REST && nowNanos - sinceNanos >= REST_NANOS) {
            state = State.CALM;
        }
    }

    private void leave(State next, long nowNanos) {
        nanosBefore += nowNanos - sinceNanos;
        state = next;
        sinceNanos = nowNanos;
    }

    private boolean isSuppressed(String kind, long nowNanos) {
        PersistentCause known = lasting.get(kind);
        return known != null && nowNanos < known.untilNanos();
    }

    private void suppress(String kind, long nowNanos) {
        lasting.values().removeIf(known -> isExpired(known, nowNanos));
        PersistentCause before = lasting.get(kind);
        if (before != null || lasting.size() < MAX_LASTING) {
            long rest = before == null
                    ? REST_NANOS
                    : Math.min(before.restNanos() * 2, LONGEST_REST_NANOS);
            lasting.put(kind, new PersistentCause(nowNanos + rest, rest));
        }
    }

    /**
     * Reports whether a cause was allowed again and then did not outlast another doubt for as long
     * as it had been suppressed.
     */
    private static boolean isExpired(PersistentCause known, long nowNanos) {
        return nowNanos - known.untilNanos() > known.restNanos() + MOST_NANOS;
    }

    private static boolean isFailing(HostSample.@Nullable LoggedResponses logged) {
        if (logged == null) {
            return false;
        }
        double failed = logged.errorsPerSecond() + logged.lostPagesPerSecond();
        return failed >= LEAST_FAILED_PER_SECOND && failed >= logged.perSecond() * FAILED_SHARE;
    }

    private List<String> causes(HostSample sample) {
        List<String> found = new ArrayList<>();
        if (sample.network().sockets().rates().listenOverflowsPerSecond() > 0) {
            found.add("listen queue overflows");
        }
        HostSample.Pressure pressure = sample.pressure();
        if (pressure != null) {
            if (pressure.memory() >= PRESSED_MEMORY) {
                found.add("tasks wait for memory");
            }
            if (pressure.io() >= PRESSED_IO) {
                found.add("tasks wait for disks");
            }
            if (pressure.cpu() >= PRESSED_CPU) {
                found.add("tasks wait for CPUs");
            }
        }
        found.addAll(NearLimits.of(sample));
        found.addAll(BrokenParts.of(sample));
        String memory = memoryCause(sample);
        if (memory != null) {
            found.add(memory);
        }
        return found;
    }

    private @Nullable String memoryCause(HostSample sample) {
        double available = sample.resources().memory().available();
        if (sample.kernel().swapInPages() + sample.kernel().swapOutPages() >= SWAPPED_PAGES) {
            return "memory is swapped";
        }
        if (sample.resources().memory().total() > 0
                && available < sample.resources().memory().total() * LEAST_MEMORY) {
            return "available memory is low";
        }
        double fellPerSecond =
                (memoryBefore - available) / Math.max(1e-3, sample.intervalMicros() / 1e6);
        return fellPerSecond > 0 && fellPerSecond * MEMORY_SECONDS > available
                ? "available memory decreases fast"
                : null;
    }
}
