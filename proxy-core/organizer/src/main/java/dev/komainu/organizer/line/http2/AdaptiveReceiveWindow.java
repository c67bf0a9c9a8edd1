package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.connection.SendScheduler;
import java.util.concurrent.TimeUnit;

/**
 * What the peer may have on its way to this end over a TCP connection without selective
 * acknowledgements (RFC 2018): as much as the path carries without a queue to speak of, found by
 * measuring, so that hardly anything is lost.
 *
 * <p>Without them each lost packet costs a round trip (RFC 6582 section 3.2), and slow start that
 * overflows a queue loses dozens: seconds in which a connection carries one packet each round trip.
 * With them that is one round trip, and slow start finds its end itself; there this is not used.
 *
 * <pre>
 *   round   from a ping to its answer, while bytes come; got: what came meanwhile
 *   queue   the answer took an {@value #QUEUE_SHARE}th and {@value #QUEUE_MILLIS} ms longer than the quickest of late; in sight: half of that
 *
 *   queue            × (what the answer may take : what it took); from now on it grows slowly
 *   queue in sight   as it is; from now on it grows slowly
 *   got ≥ 2/3 of it  × 1.3, slowly × 17/16
 *   got ≤ 1/2 of it  × 15/16: four connections that each had the path alone once must not fill it four times
 *   back at its least, {@value #LEAST} bytes: it grows fast again
 * </pre>
 *
 * <p>1.3 because the peer acts on a round a round later: four connections that grow at once lose
 * nothing where the queue holds two fifths of what is on its way. Slow start's 2 would need a queue
 * as large as that. Times are {@link System#nanoTime}'s, given. On the connection's loop.
 */
final class AdaptiveReceiveWindow {

    static final int LEAST = 65_535;

    /**
     * With so much of it left the peer is told of more: in small steps, so that it sends no bursts.
     */
    static final float UPDATE_RATIO = 0.875f;

    static final int QUEUE_SHARE = 8;
    static final int QUEUE_MILLIS = 5;

    private static final long QUEUE_NANOS = TimeUnit.MILLISECONDS.toNanos(QUEUE_MILLIS);
    private static final double FAST = 1.3;
    private static final double SLOW = 17 / 16.0;
    private static final double UNUSED = 15 / 16.0;
    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** The quickest answer counts for one to two of these: paths change. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final int most;
    private double bytes = LEAST;
    private boolean fast = true;
    private boolean measures;
    private long begunNanos;
    private long notBeforeNanos;
    private long got;
    private long leastNanos = Long.MAX_VALUE;
    private long leastBefore = Long.MAX_VALUE;
    private long leastSinceNanos;

    /** @param mostBytes as settings allow */
    AdaptiveReceiveWindow(int mostBytes, long nowNanos) {
        most = mostBytes;
        notBeforeNanos = nowNanos;
        leastSinceNanos = nowNanos;
    }

    int bytes() {
        return (int) bytes;
    }

    /**
     * Bytes of bodies came. @return whether a round begins: a ping is to be sent, with
     * {@code nowNanos} in it
     */
    boolean received(long nowNanos, int count) {
        got += count;
        if (measures || nowNanos - notBeforeNanos < 0) {
            return false;
        }
        measures = true;
        begunNanos = nowNanos;
        got = 0;
        return true;
    }

    /** A ping came back. @return how much larger the window is now */
    int answered(long data, long nowNanos) {
        if (!measures || data != begunNanos) {
            return 0;
        }
        measures = false;
        notBeforeNanos = begunNanos + BETWEEN_NANOS;
        long trip = nowNanos - begunNanos;
        long least = least(nowNanos, trip);
        long queued = trip - least;
        long allowed = least / QUEUE_SHARE + QUEUE_NANOS;
        int before = bytes();
        if (queued > allowed) {
            bytes = bytes * (least + allowed) / trip;
            fast = false;
        } else if (queued > allowed / 2) {
            fast = false;
        } else if (got >= forBodies() * 2 / 3) {
            bytes *= fast ? FAST : SLOW;
        } else if (got <= forBodies() / 2) {
            bytes *= UNUSED;
        }
        bytes = Math.clamp(bytes, LEAST, most);
        fast |= bytes == LEAST;
        return bytes() - before;
    }

    /** Of the window; the peer keeps the rest for control. */
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
