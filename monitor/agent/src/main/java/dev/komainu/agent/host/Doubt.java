package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a state is in doubt, so that the host is worth looking at every second: before it saturates, not after.
 * It judges what the agent sees anyway, window by window and sample by sample, a few comparisons each.
 *
 * <pre>
 *  CALM ── a cause ──▶ DOUBT ── no cause for 30 s ──▶ CALM
 *                        └──── 5 min at a stretch ──▶ REST ── 5 min ──▶ CALM
 * </pre>
 *
 * The rest bounds the cost: what stays wrong for hours is no longer in doubt. So at most half of the time is spent at the
 * short interval. Any thread.
 */
public final class Doubt {

    static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);
    static final long REST_NANOS = TimeUnit.MINUTES.toNanos(5);

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
    private final Map<String, ServiceCourse> courses = new HashMap<>();
    private State state = State.CALM;
    private long sinceNanos;
    private long lastCauseNanos;
    private @Nullable String reason;
    private double memoryBefore = Double.NaN;

    /** Takes a window of any service; tells whether doubt begins with it. */
    public synchronized boolean heard(ServiceWindow window, long nowNanos) {
        ServiceCourse course = courses.get(window.service());
        if (course == null) {
            if (courses.size() >= MOST_SERVICES) {
                return false;
            }
            course = new ServiceCourse();
            courses.put(window.service(), course);
        }
        String cause = course.judge(window);
        return cause != null && raise(window.service() + ": " + cause, nowNanos);
    }

    /** Takes a sample; tells whether doubt begins with it. */
    public synchronized boolean seen(HostSample sample, long nowNanos) {
        String cause = cause(sample);
        memoryBefore = sample.memory().available();
        return cause != null && raise(cause, nowNanos);
    }

    /** Why the state is in doubt now; null while it is not. */
    public synchronized @Nullable String reason(long nowNanos) {
        settle(nowNanos);
        return state == State.DOUBT ? reason : null;
    }

    private boolean raise(String cause, long nowNanos) {
        settle(nowNanos);
        if (state == State.REST) {
            return false;
        }
        lastCauseNanos = nowNanos;
        boolean begins = state == State.CALM;
        if (begins) {
            state = State.DOUBT;
            sinceNanos = nowNanos;
            reason = cause;
        }
        return begins;
    }

    private void settle(long nowNanos) {
        if (state == State.DOUBT && nowNanos - sinceNanos >= MOST_NANOS) {
            state = State.REST;
            sinceNanos = nowNanos;
        } else if (state == State.DOUBT && nowNanos - lastCauseNanos >= HOLD_NANOS) {
            state = State.CALM;
        } else if (state == State.REST && nowNanos - sinceNanos >= REST_NANOS) {
            state = State.CALM;
        }
    }

    private @Nullable String cause(HostSample sample) {
        for (HostSample.Listener listener : sample.listeners()) {
            if (listener.service() != null
                    && listener.limit() > 0
                    && listener.queue() >= listener.limit() * FULL_QUEUE) {
                return "listen queue of " + listener.service() + " at " + listener.queue() + " of " + listener.limit();
            }
        }
        if (sample.sockets().listenOverflowsPerSecond() > 0) {
            return "listen queue overflows";
        }
        HostSample.Pressure pressure = sample.pressure();
        if (pressure != null) {
            if (pressure.memory() >= PRESSED_MEMORY) {
                return "tasks wait for memory";
            }
            if (pressure.io() >= PRESSED_IO) {
                return "tasks wait for disks";
            }
            if (pressure.cpu() >= PRESSED_CPU) {
                return "tasks wait for CPUs";
            }
        }
        return memoryCause(sample);
    }

    private @Nullable String memoryCause(HostSample sample) {
        double available = sample.memory().available();
        if (sample.kernel().swapInPages() + sample.kernel().swapOutPages() >= SWAPPED_PAGES) {
            return "memory is swapped";
        }
        if (sample.memory().total() > 0 && available < sample.memory().total() * LEAST_MEMORY) {
            return "little memory is left";
        }
        double fellPerSecond = (memoryBefore - available) / Math.max(1e-3, sample.intervalMicros() / 1e6);
        return fellPerSecond > 0 && fellPerSecond * MEMORY_SECONDS > available ? "memory falls fast" : null;
    }
}
