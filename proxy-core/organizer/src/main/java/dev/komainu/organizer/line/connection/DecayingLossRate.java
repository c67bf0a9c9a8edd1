package dev.komainu.organizer.line.connection;

import java.util.concurrent.TimeUnit;

/**
 * What a path carried and lost of late: what is counted fades, by half in 20 s. Times are
 * {@link System#nanoTime}'s, given.
 */
public final class DecayingLossRate {

    private static final double HALF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private double sent;
    private double lost;
    private long stepNanos;

    public DecayingLossRate(long nowNanos) {
        stepNanos = nowNanos;
    }

    /** @param sentBytes more, with what was sent again @param lostBytes of these */
    public void add(long nowNanos, long sentBytes, long lostBytes) {
        double fading = Math.pow(0.5, Math.max(0, nowNanos - stepNanos) / HALF_LIFE_NANOS);
        stepNanos = nowNanos;
        sent = sent * fading + sentBytes;
        lost = lost * fading + lostBytes;
    }

    public double sentBytes() {
        return sent;
    }

    public double lostBytes() {
        return lost;
    }

    /** 0 to 1; 0 where nothing was sent. */
    public double share() {
        return sent == 0 ? 0 : lost / sent;
    }

    /** Of another way from now on. */
    public void forget() {
        sent = 0;
        lost = 0;
    }
}
