package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.connection.DecayingLossRate;
import java.util.concurrent.TimeUnit;

/**
 * The choice of the congestion control with which one end of a TCP connection sends, by the loss of
 * its path. Used where settings name none.
 *
 * <p>Without loss: CUBIC. BBR pauses for a fifth of a second and a round trip every ten seconds to
 * measure the path (PROBE_RTT), and on a line all exchanges wait meanwhile, where of a hundred
 * connections one would. With 200 agents at 200 ms that cost a seventh. With loss: BBR. At 1 %
 * CUBIC carries a fifteenth. Loss behind a queue is caused by CUBIC itself and not counted. Such a
 * queue is gone when the overflowed packets are sent again, so loss is ignored for a second and two
 * round trips after a queue. The counts decay ({@link DecayingLossRate}). Four lost packets decide,
 * or 1,500 packets without loss. The choice changes at most once a minute, because CUBIC itself
 * loses some packets when it has filled a queue.
 *
 * <p>Callers pass times of {@link System#nanoTime}.
 */
final class CongestionChoice {

    static final String WITHOUT_LOSS = "cubic";
    static final String WITH_LOSS = "bbr";
    static final double WORTH = 0.001;
    static final double GONE = 0.0002;

    /** Multiple of the shortest round trip above which there is a queue. */
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

    /** Returns the kernel's name of the chosen congestion control. */
    String preferred() {
        return losing ? WITH_LOSS : WITHOUT_LOSS;
    }

    /**
     * Evaluates the choice again.
     *
     * @param sentBytes since the connection was made, with retransmissions
     * @param lostBytes part of {@code sentBytes} that was lost
     * @param rttMicros recent round trip
     * @param leastRttMicros shortest round trip since the connection was made
     * @return whether the choice has changed
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
        path.clear();
        notBeforeNanos = nowNanos + DWELL_NANOS;
        return true;
    }
}
