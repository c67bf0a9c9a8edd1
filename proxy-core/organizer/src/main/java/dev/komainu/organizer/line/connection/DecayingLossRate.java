package dev.komainu.organizer.line.connection;

import java.util.concurrent.TimeUnit;

/**
 * Recent loss of a path, as bytes sent and bytes lost. Both counts decay by half in 20 s. Callers
 * pass times of {@link System#nanoTime}.
 */
public final class DecayingLossRate {

    private static final double HALF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private double sent;
    private double lost;
    private long stepNanos;

    public DecayingLossRate(long nowNanos) {
        stepNanos = nowNanos;
    }

    /**
     * Adds the bytes since the last call.
     *
     * @param sentBytes bytes sent, with retransmissions
     * @param lostBytes part of {@code sentBytes} that was lost
     */
    public void add(long nowNanos, long sentBytes, long lostBytes) {
        double decay = Math.pow(0.5, Math.max(0, nowNanos - stepNanos) / HALF_LIFE_NANOS);
        stepNanos = nowNanos;
        sent = sent * decay + sentBytes;
        lost = lost * decay + lostBytes;
    }

    /** Returns the decayed count of bytes sent. */
    public double sentBytes() {
        return sent;
    }

    /** Returns the decayed count of bytes lost. */
    public double lostBytes() {
        return lost;
    }

    /** Returns the lost share, 0 to 1; 0 when nothing was sent. */
    public double share() {
        return sent == 0 ? 0 : lost / sent;
    }

    /** Clears the counts: the path is another now. */
    public void clear() {
        sent = 0;
        lost = 0;
    }
}
