package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.connection.SendScheduler;
import java.util.concurrent.TimeUnit;

/**
 * The receive window of a TCP connection without selective acknowledgements (RFC 2018). It is
 * measured so that the path carries as much as it can with only a short queue, and hardly anything
 * is lost.
 *
 * <p>Without selective acknowledgements each lost packet costs a round trip (RFC 6582 section 3.2),
 * and slow start that overflows a queue loses dozens: for seconds the connection carries one packet
 * each round trip. With them the loss costs one round trip, and slow start finds its end itself;
 * this class is not used there.
 *
 * <pre>
 *   round   from a ping to its answer, while bytes come; got: bytes received meanwhile
 *   queue   the answer took an {@value #QUEUE_SHARE}th and {@value #QUEUE_MILLIS} ms longer than the quickest recent one; in sight: half of that
 *
 *   queue            × (allowed time of the answer : its time); from now on it grows slowly
 *   queue in sight   unchanged; from now on it grows slowly
 *   got ≥ 2/3 of it  × 1.3, slowly × 17/16
 *   got ≤ 1/2 of it  × 15/16: four connections that each had the path alone once must not fill it four times
 *   back at its minimum, {@value #LEAST} bytes: it grows fast again
 * </pre>
 *
 * <p>The factor is 1.3 because the peer acts on a round one round later: four connections that grow
 * at once lose nothing where the queue holds two fifths of the bytes under way. Slow start's factor
 * 2 would need a queue as large as these bytes. Callers pass times of {@link System#nanoTime}. On
 * the connection's loop.
 */
final class AdaptiveReceiveWindow {

    static final int LEAST = 65_535;

    /**
     * Share of the window at which the peer gets an update: in small steps, so that it sends no
     * bursts.
     */
    static final float UPDATE_RATIO = 0.875f;

    static final int QUEUE_SHARE = 8;
    static final int QUEUE_MILLIS = 5;

    private static final long QUEUE_NANOS = TimeUnit.MILLISECONDS.toNanos(QUEUE_MILLIS);
    private static final double FAST = 1.3;
    private static final double SLOW = 17 / 16.0;
    private static final double UNUSED = 15 / 16.0;
    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** The quickest answer counts for one to two of these periods: paths change. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final int most;
    private double bytes = LEAST;
    private boolean fast = true;
    private boolean isMeasuring;
    private long startedNanos;
    private long notBeforeNanos;
    private long receivedBytes;
    private long leastNanos = Long.MAX_VALUE;
    private long leastBefore = Long.MAX_VALUE;
    private long leastSinceNanos;

    /**
     * Creates the window.
     *
     * @param mostBytes maximum in settings
     */
    AdaptiveReceiveWindow(int mostBytes, long nowNanos) {
        most = mostBytes;
        notBeforeNanos = nowNanos;
        leastSinceNanos = nowNanos;
    }

    int bytes() {
        return (int) bytes;
    }

    /**
     * Adds received bytes of bodies.
     *
     * @return whether a round starts: a ping must be sent, with {@code nowNanos} as payload
     */
    boolean received(long nowNanos, int count) {
        receivedBytes += count;
        if (isMeasuring || nowNanos - notBeforeNanos < 0) {
            return false;
        }
        isMeasuring = true;
        startedNanos = nowNanos;
        receivedBytes = 0;
        return true;
    }

    /**
     * Evaluates the answer to a ping.
     *
     * @return bytes by which the window has grown
     */
    int answered(long data, long nowNanos) {
        if (!isMeasuring || data != startedNanos) {
            return 0;
        }
        isMeasuring = false;
        notBeforeNanos = startedNanos + BETWEEN_NANOS;
        long trip = nowNanos - startedNanos;
        long least = least(nowNanos, trip);
        long queued = trip - least;
        long allowed = least / QUEUE_SHARE + QUEUE_NANOS;
        int before = bytes();
        if (queued > allowed) {
            bytes = bytes * (least + allowed) / trip;
            fast = false;
        } else if (queued > allowed / 2) {
            fast = false;
        } else if (receivedBytes >= forBodies() * 2 / 3) {
            bytes *= fast ? FAST : SLOW;
        } else if (receivedBytes <= forBodies() / 2) {
            bytes *= UNUSED;
        }
        bytes = Math.clamp(bytes, LEAST, most);
        fast |= bytes == LEAST;
        return bytes() - before;
    }

    /** Returns the part of the window for bodies; the peer reserves the rest for control. */
    private double forBodies() {
        return bytes - SendScheduler.RESERVED;
    }

    private long least(long nowNanos, long trip) {
        if (nowNanos - leastSinceNanos > LATE_NANOS) {
            leastSinceNanos = nowNanos;
            leastBefore = leastNanos;
            leastNanos = Long.MAX_VALUE;
        }
        leastNanos = Math.min(leastNanos, trip);
        return Math.min(leastNanos, leastBefore);
    }
}
