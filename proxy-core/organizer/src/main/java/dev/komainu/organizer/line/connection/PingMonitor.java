package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.LineSettings;
import java.util.concurrent.TimeUnit;

/**
 * Whether the peer is there, and how far away: one ping under way at a time. Whatever comes is a
 * sign of life; only silence while a ping waits is none. Where this side itself stood still (a beat
 * comes late), nothing could be heard: that time does not count. Times are
 * {@link System#nanoTime}'s, given.
 */
public final class PingMonitor {

    enum Deed {
        PING,
        WAIT,
        LOST
    }

    private final long silenceNanos;
    private final long connectNanos;
    private final long everyNanos;
    private final long bornNanos;
    private long heardNanos;
    private long beatNanos;
    private long pingNanos;
    private boolean isWaiting;
    private long rttNanos;
    private long leastNanos;

    PingMonitor(LineSettings settings, long nowNanos) {
        this.silenceNanos = settings.silence().toNanos();
        this.connectNanos = settings.connectTimeout().toNanos();
        this.everyNanos = settings.pingEvery().toNanos();
        this.bornNanos = nowNanos;
        this.beatNanos = nowNanos;
        this.heardNanos = nowNanos;
    }

    public void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    /** @param ready whether the peer's first frame came */
    Deed beat(long nowNanos, boolean ready) {
        long late = nowNanos - beatNanos - 2 * everyNanos;
        beatNanos = nowNanos;
        if (late > 0) {
            heardNanos = Math.min(nowNanos, Math.max(heardNanos, pingNanos) + late);
        }
        if (!ready) {
            return nowNanos - bornNanos > connectNanos ? Deed.LOST : Deed.WAIT;
        }
        if (!isWaiting) {
            isWaiting = true;
            pingNanos = nowNanos;
            return Deed.PING;
        }
        return nowNanos - Math.max(heardNanos, pingNanos) > silenceNanos ? Deed.LOST : Deed.WAIT;
    }

    /**
     * Whether the peer has been silent for half the time that makes it lost: what is asked of it
     * now may have to be asked again.
     */
    public boolean isOverdue(long nowNanos) {
        return isWaiting && nowNanos - Math.max(heardNanos, pingNanos) > silenceNanos / 2;
    }

    /** @param data the ping's: when it was sent. One that was never asked tells nothing */
    public void answered(long data, long nowNanos) {
        if (isWaiting && data == pingNanos) {
            isWaiting = false;
            long trip = nowNanos - data;
            // Smoothed as TCP does it (RFC 6298 section 2).
            rttNanos = rttNanos == 0 ? trip : rttNanos + (trip - rttNanos) / 8;
            leastNanos = leastNanos == 0 ? trip : Math.min(leastNanos, trip);
        }
    }

    long silentMillis(long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(nowNanos - heardNanos);
    }

    /** 0: not measured yet. */
    public long rttMicros() {
        return TimeUnit.NANOSECONDS.toMicros(rttNanos);
    }

    public long leastRttMicros() {
        return TimeUnit.NANOSECONDS.toMicros(leastNanos);
    }
}
