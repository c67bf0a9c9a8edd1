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
 * Decides whether a state is in doubt, so that the host is worth looking at every second: before it
 * saturates, not after. It judges what the agent sees anyway, window by window and sample by
 * sample, a few comparisons each.
 *
 * <pre>
 *  CALM ── a cause ──▶ DOUBT ── no cause for 30 s ──▶ CALM
 *                        └──── 5 min at a stretch ──▶ REST ── 5 min ──▶ CALM
 *                        ◀── a cause that was not heard in that stretch ──┘
 * </pre>
 *
 * The rest bounds the cost: of the same causes at most half of the time is spent at the short
 * interval. And what stays wrong for hours is no longer in doubt but known: a cause that was still
 * there when a stretch ended may raise doubt again only after 5 min, the next time after 10, 20,
 * 40, then every hour, until it stays away for as long. Other causes are heard meanwhile. So a
 * machine that is always busy spends some 8 % of its time at the short interval. Any thread.
 */
public final class SamplingTrigger {

    static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);
    static final long REST_NANOS = TimeUnit.MINUTES.toNanos(5);
    static final long LONGEST_REST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Causes known to stay; of more, each may raise doubt after the usual rest. */
    private static final int MOST_LASTING = 4_000;

    /** Services kept in mind; more are watched without doubts of their own. */
    private static final int MOST_SERVICES = 1_000;

    private static final double FULL_QUEUE = 0.5;
    private static final double PRESSED_CPU = 60;
    private static final double PRESSED_MEMORY = 10;
    private static final double PRESSED_IO = 40;
    private static final double LEAST_MEMORY = 0.1;
    /** Memory that would be gone so soon, falling as it does. */
    private static final double MEMORY_SECONDS = 120;

    private static final double SWAPPED_PAGES = 100;

    private enum State {
        CALM,
        DOUBT,
        REST
    }

    // Guarded by this.
    private final Map<String, ServiceDeviation> courses = new HashMap<>();
    private State state = State.CALM;
    private long sinceNanos;
    private long lastCauseNanos;
    private @Nullable String reason;
    /** What raised or prolonged this doubt, and when it was last seen. */
    private final Map<String, Long> causes = new HashMap<>();

    /** What was heard in the stretch before the rest. */
    private final Set<String> rested = new HashSet<>();

    private final Map<String, Lasting> lasting = new HashMap<>();
    private long times;
    private long nanosBefore;
    private double memoryBefore = Double.NaN;

    /**
     * A cause that outlived a stretch of doubt: it is not heard until then, so long was it told to
     * wait.
     */
    private record Lasting(long untilNanos, long restNanos) {}

    /**
     * What doubt has cost since the start.
     *
     * @param times it began
     * @param seconds it lasted, all together
     * @param lasting causes that stay, and are not heard for a while
     */
    public record Spent(long times, long seconds, List<String> lasting) {
        public Spent {
            lasting = List.copyOf(lasting);
        }
    }

    /** Takes a window of any service; tells whether doubt begins with it. */
    public synchronized boolean heard(ServiceWindow window, long nowNanos) {
        ServiceDeviation course = courses.get(window.service());
        if (course == null) {
            if (courses.size() >= MOST_SERVICES) {
                return false;
            }
            course = new ServiceDeviation();
            courses.put(window.service(), course);
        }
        String cause = course.judge(window);
        if (cause == null) {
            return false;
        }
        String named = window.service() + ": " + cause;
        return raise(named, named, nowNanos);
    }

    /** Takes a sample; tells whether doubt begins with it. */
    public synchronized boolean seen(HostSample sample, long nowNanos) {
        boolean begins = false;
        for (HostSample.Listener listener : sample.listeners()) {
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
        for (String cause : causes(sample)) {
            begins |= raise(cause, cause, nowNanos);
        }
        memoryBefore = sample.memory().available();
        return begins;
    }

    /** What doubt has cost since the start. */
    public synchronized Spent spent(long nowNanos) {
        settle(nowNanos);
        long now = state == State.DOUBT ? nowNanos - sinceNanos : 0;
        return new Spent(
                times,
                TimeUnit.NANOSECONDS.toSeconds(nanosBefore + now),
                lasting.keySet().stream()
                        .filter(kind -> isKnown(kind, nowNanos))
                        .sorted()
                        .toList());
    }

    /** Why the state is in doubt now; null while it is not. */
    public synchronized @Nullable String reason(long nowNanos) {
        settle(nowNanos);
        return state == State.DOUBT ? reason : null;
    }

    /** @param kind what it is called each time; {@code cause} may hold figures */
    private boolean raise(String kind, String cause, long nowNanos) {
        settle(nowNanos);
        if (state == State.REST && rested.contains(kind) || isKnown(kind, nowNanos)) {
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

    private void settle(long nowNanos) {
        if (state == State.DOUBT && nowNanos - sinceNanos >= MOST_NANOS) {
            leave(State.REST, nowNanos);
            rested.clear();
            rested.addAll(causes.keySet());
            causes.forEach((kind, seenNanos) -> {
                if (nowNanos - seenNanos < HOLD_NANOS) {
                    staysSince(kind, nowNanos);
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

    private boolean isKnown(String kind, long nowNanos) {
        Lasting known = lasting.get(kind);
        return known != null && nowNanos < known.untilNanos();
    }

    private void staysSince(String kind, long nowNanos) {
        lasting.values().removeIf(known -> isOver(known, nowNanos));
        Lasting before = lasting.get(kind);
        if (before != null || lasting.size() < MOST_LASTING) {
            long rest = before == null
                    ? REST_NANOS
                    : Math.min(before.restNanos() * 2, LONGEST_REST_NANOS);
            lasting.put(kind, new Lasting(nowNanos + rest, rest));
        }
    }

    /** It was heard again and did not outlive another stretch for as long as it had to wait. */
    private static boolean isOver(Lasting known, long nowNanos) {
        return nowNanos - known.untilNanos() > known.restNanos() + MOST_NANOS;
    }

    private List<String> causes(HostSample sample) {
        List<String> found = new ArrayList<>();
        if (sample.sockets().listenOverflowsPerSecond() > 0) {
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
        String memory = memoryCause(sample);
        if (memory != null) {
            found.add(memory);
        }
        return found;
    }

    private @Nullable String memoryCause(HostSample sample) {
        double available = sample.memory().available();
        if (sample.kernel().swapInPages() + sample.kernel().swapOutPages() >= SWAPPED_PAGES) {
            return "memory is swapped";
        }
        if (sample.memory().total() > 0 && available < sample.memory().total() * LEAST_MEMORY) {
            return "little memory is left";
        }
        double fellPerSecond =
                (memoryBefore - available) / Math.max(1e-3, sample.intervalMicros() / 1e6);
        return fellPerSecond > 0 && fellPerSecond * MEMORY_SECONDS > available
                ? "memory falls fast"
                : null;
    }
}
