package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.connection.DecayingLossRate;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The choice of a line's carrier, TCP or QUIC, by the loss of the path to its peer. Callers pass
 * times of {@link System#nanoTime}.
 *
 * <p>Measured with 32 agents (docs/decisions/0083-quic-beneath-the-line.md): at 0.1 % loss QUIC
 * carries as much as four TCP connections, at 1 % a third more. Without loss it gains nothing and
 * costs CPU. So QUIC starts at {@value #WORTH}, between the two, if the round trip is at least
 * {@value #LEAST_RTT_MICROS} µs: below that a lost packet is replaced at once. QUIC ends when the
 * loss is below {@value #GONE}. The counts decay ({@link DecayingLossRate}). Six lost packets
 * decide, or 1,500 packets without loss. The choice changes at most once a minute.
 *
 * <p>Where UDP does not get through, the next attempt waits for a minute, and each time twice as
 * long, up to 16 minutes.
 */
final class CarrierChoice {

    static final double WORTH = 0.003;
    static final double GONE = 0.001;
    static final long LEAST_RTT_MICROS = 20_000;

    private static final long LOST_ENOUGH = 6 * 1_448;
    private static final long SENT_ENOUGH = 2 << 20;
    private static final long DWELL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_DOUBLINGS = 4;

    /**
     * Traffic of a path since the last step, in both directions.
     *
     * @param sentBytes with retransmissions
     * @param lostBytes part of {@code sentBytes} that was lost
     * @param rttMicros round trip; 0: not known
     */
    record Traffic(long sentBytes, long lostBytes, long rttMicros) {

        static final Traffic NOTHING = new Traffic(0, 0, 0);

        Traffic plus(Traffic other) {
            return new Traffic(
                    sentBytes + other.sentBytes,
                    lostBytes + other.lostBytes,
                    rttMicros == 0 || other.rttMicros == 0
                            ? Math.max(rttMicros, other.rttMicros)
                            : (rttMicros + other.rttMicros) / 2);
        }
    }

    private LineCarrier preferred = LineCarrier.TCP;
    private String why = "initial choice";
    private final DecayingLossRate path;
    private long notBeforeNanos;
    private int failures;

    CarrierChoice(long nowNanos) {
        path = new DecayingLossRate(nowNanos);
        notBeforeNanos = nowNanos;
    }

    /** Returns the carrier that new streams should use. */
    LineCarrier preferred() {
        return preferred;
    }

    /** Returns the reason of the choice, for operators. */
    String why() {
        return why;
    }

    /**
     * Evaluates the choice again.
     *
     * @param offered whether the peer accepts QUIC
     * @param traffic traffic over the preferred carrier
     * @return whether the preferred carrier has changed
     */
    boolean step(long nowNanos, boolean offered, Traffic traffic) {
        path.add(nowNanos, traffic.sentBytes, traffic.lostBytes);
        if (nowNanos - notBeforeNanos < 0) {
            return false;
        }
        double loss = path.share();
        if (preferred == LineCarrier.TCP) {
            if (offered
                    && path.lostBytes() >= LOST_ENOUGH
                    && loss >= WORTH
                    && traffic.rttMicros >= LEAST_RTT_MICROS) {
                change(nowNanos, LineCarrier.QUIC, reason(loss, traffic.rttMicros));
                return true;
            }
        } else if (path.sentBytes() >= SENT_ENOUGH && loss < GONE) {
            change(nowNanos, LineCarrier.TCP, reason(loss, traffic.rttMicros));
            return true;
        }
        return false;
    }

    private static String reason(double loss, long rttMicros) {
        return String.format(Locale.ROOT, "%.2f %% lost at %d ms", loss * 100, rttMicros / 1_000);
    }

    private void change(long nowNanos, LineCarrier to, String because) {
        preferred = to;
        why = because;
        path.clear();
        notBeforeNanos = nowNanos + DWELL_NANOS;
    }

    /** Records that QUIC is connected: UDP reaches the peer. */
    void reached() {
        failures = 0;
    }

    /** Records that QUIC could not connect. */
    void failed(long nowNanos, String because) {
        if (preferred == LineCarrier.QUIC) {
            change(nowNanos, LineCarrier.TCP, because);
            notBeforeNanos = nowNanos + (DWELL_NANOS << Math.min(failures++, MOST_DOUBLINGS));
        }
    }
}
