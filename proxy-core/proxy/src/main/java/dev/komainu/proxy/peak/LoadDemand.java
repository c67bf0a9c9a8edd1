package dev.komainu.proxy.peak;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether this proxy is pressed now, by what it is asked for and by how its disk and its loops keep
 * up; whatever was decided.
 *
 * <pre>
 *           one sign for {@code enter}
 *   CALM ───────────────────────────────► PRESSED        signs:   arrivals ≥ surge × usual      disk busy ≥ share
 *        ◄───────────────────────────────                         read p95 ≥ latency            queue ≥ {@value #QUEUE}
 *           {@code leave} seconds of all low                      loop delay ≥ limit
 * </pre>
 *
 * Low means less than half of each limit, and arrivals not above {@value #LOW} of the way from
 * usual to surge: between the two bands nothing changes, and what pressed again begins the low
 * seconds anew. Usual arrivals are an exponential mean of calm seconds, over an hour (a 24th of a
 * day, one minute at least): slow enough not to climb a peak's slope with it. While pressed it goes
 * on three times as slowly, so that what has become usual is no peak for ever. One thread.
 */
public final class LoadDemand {

    /** Reads that wait or are under way: eight for each disk thread. */
    static final int QUEUE = 32;

    static final double LOW = 0.4;
    /** Less is no peak for any machine. */
    static final double LEAST_ARRIVALS = 50;
    /** Less tells nothing of what is usual: a proxy that nobody uses yet, or any more. */
    private static final double IDLE = 10;
    /** Calm seconds before usual arrivals are believed. */
    private static final int BELIEVED = 30;
    /** Seconds from the start in which slowness is that of a program that is being compiled. */
    private static final int WARM = 30;
    /** Slow reads in one second that are more than an accident. */
    private static final int FEW_READS = 5;

    private final PeakSettings settings;
    private final double tauSeconds;
    private double usual;
    private long calmSeconds;
    private boolean pressed;
    private long seconds;
    private int signs;
    private int lows;
    private String reason = "nothing was measured yet";
    private long sinceMillis;

    public LoadDemand(PeakSettings settings) {
        this.settings = settings;
        this.tauSeconds = Math.max(60, settings.day().toSeconds() / 24.0);
    }

    /** With the experience of a former one, under other limits. */
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
     * One second more.
     *
     * @param armed a peak is expected about now: a quarter of the surge is enough, at once
     * @return whether this changed what {@link #isPressed} says
     */
    public boolean take(SecondReading now, boolean armed) {
        seconds++;
        String sign = sign(now, armed);
        signs = sign == null ? 0 : signs + 1;
        boolean before = pressed;
        long needed = armed ? 1 : settings.enter().toSeconds();
        if (signs >= needed) {
            lows = 0;
        } else if (pressed && sign == null && isLow(now)) {
            lows++;
        }
        if (!pressed && sign != null && signs >= needed) {
            pressed = true;
            lows = 0;
            reason = sign;
        } else if (pressed && lows >= settings.leave().toSeconds()) {
            pressed = false;
            reason = "all was low for " + settings.leave().toSeconds() + " s";
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
        // What may be the beginning of a peak is not usual yet; where nothing is known, whatever
        // comes is.
        if (!isBelieved() || !pressed && signs == 0) {
            calmSeconds++;
            usual += (now.arrivals() - usual) * Math.max(1.0 / calmSeconds, 1 / tauSeconds);
        } else if (pressed) {
            usual += (now.arrivals() - usual) / (3 * tauSeconds);
        }
    }

    private boolean isBelieved() {
        return calmSeconds >= BELIEVED;
    }

    private @Nullable String sign(SecondReading now, boolean armed) {
        double surge = armed ? 1 + (settings.surge() - 1) / 4 : settings.surge();
        if (isBelieved() && now.arrivals() >= Math.max(LEAST_ARRIVALS, surge * usual)) {
            return said(
                    "arrivals %.0f/s, usual %.0f/s (limit %.2f times)",
                    now.arrivals(), usual, surge);
        }
        if (now.diskBusy() >= settings.diskBusy()) {
            return said(
                    "disk busy %.0f %% (limit %.0f %%)",
                    100 * now.diskBusy(), 100 * settings.diskBusy());
        }
        boolean warm = seconds > WARM;
        if (warm
                && now.reads() >= FEW_READS
                && now.readP95Millis() >= settings.readLatency().toMillis()) {
            return said(
                    "disk reads p95 %.0f ms (limit %d ms)",
                    now.readP95Millis(), settings.readLatency().toMillis());
        }
        if (now.queue() >= QUEUE) {
            return said("disk queue %d (limit %d)", now.queue(), QUEUE);
        }
        if (warm && now.loopDelayMillis() >= settings.loopDelay().toMillis()) {
            return said(
                    "event loops late by %.0f ms (limit %d ms)",
                    now.loopDelayMillis(), settings.loopDelay().toMillis());
        }
        return null;
    }

    private static String said(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private boolean isLow(SecondReading now) {
        double low = Math.max(LEAST_ARRIVALS, usual * (1 + (settings.surge() - 1) * LOW));
        return (!isBelieved() || now.arrivals() <= low)
                && now.diskBusy() < settings.diskBusy() / 2
                && now.queue() < QUEUE / 2
                && now.readP95Millis() < settings.readLatency().toMillis()
                && now.loopDelayMillis() < settings.loopDelay().toMillis() / 2.0;
    }

    public boolean isPressed() {
        return pressed;
    }

    /** Why it is what it is. */
    public String reason() {
        return reason;
    }

    /** Usual arrivals a second. */
    public double usual() {
        return usual;
    }

    /** When it became what it is; 0: at the start. */
    long sinceMillis() {
        return sinceMillis;
    }
}
