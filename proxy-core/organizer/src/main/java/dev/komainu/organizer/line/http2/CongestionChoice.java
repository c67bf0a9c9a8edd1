package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.connection.DecayingLossRate;
import java.util.concurrent.TimeUnit;

/**
 * Which congestion control one end of a TCP connection sends by, where settings leave that open: by
 * what its path loses.
 *
 * <p>Without loss CUBIC: BBR gives its path up for a fifth of a second and a round trip every ten
 * seconds, to measure it (PROBE_RTT), and on a line everybody waits meanwhile, where of a hundred
 * connections one would; with 200 agents at 200 ms that cost a seventh. With loss BBR: at 1 % CUBIC
 * carries a fifteenth. Loss with a queue before it is CUBIC's own doing, and not counted: the queue
 * is gone when what overflowed it is sent again, so for a second and two round trips after one was
 * seen. What is counted fades ({@link DecayingLossRate}); four packets lost decide, or a thousand
 * and a half that were not; and nothing changes twice within a minute, because CUBIC itself loses
 * some when it has filled a queue.
 *
 * <p>Times are {@link System#nanoTime}'s, given.
 */
final class CongestionChoice {

    static final String WITHOUT_LOSS = "cubic";
    static final String WITH_LOSS = "bbr";
    static final double WORTH = 0.001;
    static final double GONE = 0.0002;

    /** Above so many times the shortest round trip a queue is there. */
    static final double QUEUED = 1.1;

    private static final long QUEUED_MICROS = 5_000;
    private static final long AFTER_QUEUE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOST_ENOUGH = 4 * 1_448;
    private static final long SENT_ENOUGH = 2 << 20;
    private static final long DWELL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private boolean losing;
    private final DecayingLossRate path;
    private long sentBefore;
    private long lostBefore;
    private long notBeforeNanos;
    private long queuedUntilNanos;

    CongestionChoice(long nowNanos) {
        path = new DecayingLossRate(nowNanos);
        notBeforeNanos = nowNanos;
        queuedUntilNanos = nowNanos;
    }

    /** As the kernel names it. */
    String wish() {
        return losing ? WITH_LOSS : WITHOUT_LOSS;
    }

    /**
     * Looks again.
     *
     * @param sentBytes since the connection was made, with what was sent again
     * @param lostBytes of these
     * @param rttMicros of late
     * @param leastRttMicros since the connection was made
     * @return whether the wish is another now
     */
    boolean step(
            long nowNanos, long sentBytes, long lostBytes, long rttMicros, long leastRttMicros) {
        if (rttMicros > leastRttMicros * QUEUED + QUEUED_MICROS) {
            queuedUntilNanos =
                    nowNanos + AFTER_QUEUE_NANOS + TimeUnit.MICROSECONDS.toNanos(2 * rttMicros);
        }
        long lost = nowNanos - queuedUntilNanos < 0 ? 0 : Math.max(0, lostBytes - lostBefore);
        path.add(nowNanos, Math.max(0, sentBytes - sentBefore), lost);
        sentBefore = sentBytes;
        lostBefore = lostBytes;
        double loss = path.share();
        boolean changes = losing
                ? path.sentBytes() >= SENT_ENOUGH && loss < GONE
                : path.lostBytes() >= LOST_ENOUGH && loss >= WORTH;
        if (!changes || nowNanos - notBeforeNanos < 0) {
            return false;
        }
        losing = !losing;
        path.forget();
        notBeforeNanos = nowNanos + DWELL_NANOS;
        return true;
    }
}
