package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.LineSettings;
import java.util.concurrent.TimeUnit;

/**
 * Liveness and round trip of the peer, by one ping at a time. Every received byte is a sign of
 * life; the peer counts as silent only while a ping waits. When a tick of this side comes late,
 * this side was paused and could receive nothing: that time does not count. Callers pass times of
 * {@link System#nanoTime}.
 */
public final class PingMonitor {

    enum Action {
        PING,
        WAIT,
        LOST
    }

    private final long silenceNanos;
    private final long connectNanos;
    private final long everyNanos;
    private final long createdNanos;
    private long receivedNanos;
    private long tickNanos;
    private long pingNanos;
    private boolean awaitsAnswer;
    private long rttNanos;
    private long leastNanos;

    PingMonitor(LineSettings settings, long nowNanos) {
        this.silenceNanos = settings.silence().toNanos();
        this.connectNanos = settings.connectTimeout().toNanos();
        this.everyNanos = settings.pingEvery().toNanos();
        this.createdNanos = nowNanos;
        this.tickNanos = nowNanos;
        this.receivedNanos = nowNanos;
    }

    /** Records that bytes came from the peer. */
    public void received(long nowNanos) {
        receivedNanos = nowNanos;
    }

    /**
     * Decides the action of one tick.
     *
     * @param ready whether the peer's first frame came
     */
    Action tick(long nowNanos, boolean ready) {
        long late = nowNanos - tickNanos - 2 * everyNanos;
        tickNanos = nowNanos;
        if (late > 0) {
            receivedNanos = Math.min(nowNanos, Math.max(receivedNanos, pingNanos) + late);
        }
        if (!ready) {
            return nowNanos - createdNanos > connectNanos ? Action.LOST : Action.WAIT;
        }
        if (!awaitsAnswer) {
            awaitsAnswer = true;
            pingNanos = nowNanos;
            return Action.PING;
        }
        return nowNanos - Math.max(receivedNanos, pingNanos) > silenceNanos
                ? Action.LOST
                : Action.WAIT;
    }

    /**
     * Returns whether the peer has been silent for half the time after which it counts as lost. A
     * request sent now may have to be repeated.
     */
    public boolean isOverdue(long nowNanos) {
        return awaitsAnswer && nowNanos - Math.max(receivedNanos, pingNanos) > silenceNanos / 2;
    }

    /**
     * Records the answer to a ping.
     *
     * @param data the ping's payload: the time it was sent. Other values are ignored
     */
    public void answered(long data, long nowNanos) {
        if (awaitsAnswer && data == pingNanos) {
            awaitsAnswer = false;
            long trip = nowNanos - data;
            // Smoothed as TCP does it (RFC 6298 section 2).
            rttNanos = rttNanos == 0 ? trip : rttNanos + (trip - rttNanos) / 8;
            leastNanos = leastNanos == 0 ? trip : Math.min(leastNanos, trip);
        }
    }

    long silentMillis(long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(nowNanos - receivedNanos);
    }

    /** Returns the smoothed round trip; 0: not measured yet. */
    public long rttMicros() {
        return TimeUnit.NANOSECONDS.toMicros(rttNanos);
    }

    /** Returns the shortest round trip; 0: not measured yet. */
    public long leastRttMicros() {
        return TimeUnit.NANOSECONDS.toMicros(leastNanos);
    }
}
