package dev.komainu.proxy.peak;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The detection of load on this proxy, from its arrivals and from the delays of its disk and its
 * event loops; independent of the decision.
 *
 * <pre>
 *            one sign for {@code enter}
 *   CALM ───────────────────────────────► PRESSED       signs:   arrivals ≥ surge × usual     disk busy ≥ share
 *        ◄───────────────────────────────                        read p95 ≥ latency           queue ≥ {@value #QUEUE}
 *            {@code leave} seconds of all low                    loop delay ≥ limit
 * </pre>
 *
 * Low means less than half of each limit, and arrivals at most {@value #LOW} of the way from usual
 * to surge. Between the two bands nothing changes, and a new sign restarts the count of low
 * seconds. Usual arrivals are an exponential mean of calm seconds, over an hour (a 24th of a day,
 * at least one minute): slow enough not to follow the slope of a peak. While pressed, the mean
 * adapts at a third of the speed, so that a lasting load does not stay a peak for ever. One thread.
 */
public final class LoadDemand {

    /** Reads waiting or in progress: eight for each disk thread. */
    static final int QUEUE = 32;

    static final double LOW = 0.4;
    /** Fewer arrivals a second are not a peak for any machine. */
    static final double MIN_ARRIVALS = 50;
    /** Fewer arrivals a second are not counted as usual: the proxy is not in use. */
    private static final double IDLE = 10;
    /** Calm seconds before the usual arrivals are used. */
    private static final int MIN_CALM_SECONDS = 30;
    /** Seconds from the start in which slowness results from the compilation of the program. */
    private static final int WARM_UP_SECONDS = 30;
    /** Minimum number of reads in one second for their latency to count. */
    private static final int MIN_READS = 5;

    private final PeakSettings settings;
    private final double meanSeconds;
    private double usual;
    private long calmSeconds;
    private boolean pressed;
    private long seconds;
    private int signSeconds;
    private int lowSeconds;
    private String reason = "no measurement yet";
    private long sinceMillis;

    public LoadDemand(PeakSettings settings) {
        this.settings = settings;
        this.meanSeconds = Math.max(60, settings.day().toSeconds() / 24.0);
    }

    /** Creates a detection with other limits and the state of a former one. */
    LoadDemand(PeakSettings settings, LoadDemand former) {
        this(settings);
        usual = former.usual;
        calmSeconds = former.calmSeconds;
        seconds = former.seconds;
        pressed = former.pressed;
        reason = former.reason;
        sinceMillis = former.sinceMillis;
    }

    /**
     * Evaluates one more second.
     *
     * @param armed whether a peak is expected now: a quarter of the surge is then enough, at once
     * @return whether {@link #isPressed} changed
     */
    public boolean add(SecondReading now, boolean armed) {
        seconds++;
        String sign = sign(now, armed);
        signSeconds = sign == null ? 0 : signSeconds + 1;
        boolean before = pressed;
        long needed = armed ? 1 : settings.enter().toSeconds();
        if (signSeconds >= needed) {
            lowSeconds = 0;
        } else if (pressed && sign == null && isLow(now)) {
            lowSeconds++;
        }
        if (!pressed && sign != null && signSeconds >= needed) {
            pressed = true;
            lowSeconds = 0;
            reason = sign;
        } else if (pressed && lowSeconds >= settings.leave().toSeconds()) {
            pressed = false;
            reason = "all readings were low for " + settings.leave().toSeconds() + " s";
        }
        learn(now);
        if (before != pressed) {
            sinceMillis = now.atMillis();
            return true;
        }
        return false;
    }

    private void learn(SecondReading now) {
        if (now.arrivals() < IDLE) {
            return;
        }
        // The beginning of a peak is not usual; while nothing is known, all arrivals count.
        if (!isUsualKnown() || (!pressed && signSeconds == 0)) {
            calmSeconds++;
            usual += (now.arrivals() - usual) * Math.max(1.0 / calmSeconds, 1 / meanSeconds);
        } else if (pressed) {
            usual += (now.arrivals() - usual) / (3 * meanSeconds);
        }
    }

    private boolean isUsualKnown() {
        return calmSeconds >= MIN_CALM_SECONDS;
    }

    private @Nullable String sign(SecondReading now, boolean armed) {
        double surge = armed ? 1 + (settings.surge() - 1) / 4 : settings.surge();
        if (isUsualKnown() && now.arrivals() >= Math.max(MIN_ARRIVALS, surge * usual)) {
            return text(
                    "arrivals %.0f/s, usual %.0f/s (limit %.2f times)",
                    now.arrivals(), usual, surge);
        }
        if (now.diskBusy() >= settings.diskBusy()) {
            return text(
                    "disk busy %.0f %% (limit %.0f %%)",
                    100 * now.diskBusy(), 100 * settings.diskBusy());
        }
        boolean warmedUp = seconds > WARM_UP_SECONDS;
        if (warmedUp
                && now.reads() >= MIN_READS
                && now.readP95Millis() >= settings.readLatency().toMillis()) {
            return text(
                    "disk reads p95 %.0f ms (limit %d ms)",
                    now.readP95Millis(), settings.readLatency().toMillis());
        }
        if (now.queue() >= QUEUE) {
            return text("disk queue %d (limit %d)", now.queue(), QUEUE);
        }
        if (warmedUp && now.loopDelayMillis() >= settings.loopDelay().toMillis()) {
            return text(
                    "event loops late by %.0f ms (limit %d ms)",
                    now.loopDelayMillis(), settings.loopDelay().toMillis());
        }
        return null;
    }

    @SuppressWarnings(
            "AnnotateFormatMethod") // the annotation is in none of this module's dependencies
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private boolean isLow(SecondReading now) {
        double low = Math.max(MIN_ARRIVALS, usual * (1 + (settings.surge() - 1) * LOW));
        return (!isUsualKnown() || now.arrivals() <= low)
                && now.diskBusy() < settings.diskBusy() / 2
                && now.queue() < QUEUE / 2
                && now.readP95Millis() < settings.readLatency().toMillis()
                && now.loopDelayMillis() < settings.loopDelay().toMillis() / 2.0;
    }

    public boolean isPressed() {
        return pressed;
    }

    /** Returns the reason of the present state. */
    public String reason() {
        return reason;
    }

    /** Returns the usual arrivals a second. */
    public double usual() {
        return usual;
    }

    /** Returns the time of the last change; 0: at the start. */
    long sinceMillis() {
        return sinceMillis;
    }
}
