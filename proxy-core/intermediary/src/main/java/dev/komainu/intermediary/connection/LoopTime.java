package dev.komainu.intermediary.connection;

/**
 * The time of the present event of one event loop, on {@link System#nanoTime}. It is read when an
 * event begins (bytes arrive, a sweep), so that the steps of the event need no system clock: one
 * request would otherwise read it more than ten times. It is at most one sweep old, which is enough
 * for timeouts of seconds; durations that are reported use it only where the event began just
 * before.
 *
 * <p>One event loop owns it.
 */
public final class LoopTime {

    private long nanos = System.nanoTime();

    /** Reads the clock. Called when an event begins. */
    public long update() {
        nanos = System.nanoTime();
        return nanos;
    }

    /** Sets a time that was just read. */
    public void set(long nowNanos) {
        nanos = nowNanos;
    }

    /** Returns the time of the present event. */
    public long nanos() {
        return nanos;
    }
}
