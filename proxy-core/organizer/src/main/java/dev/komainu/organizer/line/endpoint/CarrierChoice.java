package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.connection.DecayingLossRate;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Whether a line runs over TCP or over QUIC, by what the path to its peer loses. Times are
 * {@link System#nanoTime}'s, given.
 *
 * <p>Measured with 32 agents (docs/decisions/0083-quic-beneath-the-line.md): at 0.1 % loss QUIC
 * carries what four TCP connections do, at 1 % a third more; without loss it gains nothing and
 * costs CPU. So it begins at {@value #WORTH} between the two, where the round trip is
 * {@value #LEAST_RTT_MICROS} µs at least: below that what was lost is there again at once. It ends
 * when less than {@value #GONE} is lost. What is counted fades ({@link DecayingLossRate}); six
 * packets lost decide, or a thousand and a half that were not; and nothing changes twice within a
 * minute.
 *
 * <p>Where UDP does not get through the next attempt waits for a minute, and each time twice as
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
     * What went over a path since the last step, both ways.
     *
     * @param sentBytes with what was sent again
     * @param lostBytes of these
     * @param rttMicros 0: not known
     */
    record Passed(long sentBytes, long lostBytes, long rttMicros) {

        static final Passed NOTHING = new Passed(0, 0, 0);

        Passed plus(Passed other) {
            return new Passed(
                    sentBytes + other.sentBytes,
                    lostBytes + other.lostBytes,
                    rttMicros == 0 || other.rttMicros == 0
                            ? Math.max(rttMicros, other.rttMicros)
                            : (rttMicros + other.rttMicros) / 2);
        }
    }

    private LineCarrier wish = LineCarrier.TCP;
    private String why = "begun so";
    private final DecayingLossRate path;
    private long notBeforeNanos;
    private int failures;

    CarrierChoice(long nowNanos) {
        path = new DecayingLossRate(nowNanos);
        notBeforeNanos = nowNanos;
    }

    /** What new streams should go over. */
    LineCarrier wish() {
        return wish;
    }

    /** For people. */
    String why() {
        return why;
    }

    /**
     * Looks again.
     *
     * @param offered whether the peer answers over QUIC
     * @param passed over the carrier that is wished for
     * @return whether the wish is another now
     */
    boolean step(long nowNanos, boolean offered, Passed passed) {
        path.add(nowNanos, passed.sentBytes, passed.lostBytes);
        if (nowNanos - notBeforeNanos < 0) {
            return false;
        }
        double loss = path.share();
        if (wish == LineCarrier.TCP) {
            if (offered
                    && path.lostBytes() >= LOST_ENOUGH
                    && loss >= WORTH
                    && passed.rttMicros >= LEAST_RTT_MICROS) {
                change(nowNanos, LineCarrier.QUIC, told(loss, passed.rttMicros));
                return true;
            }
        } else if (path.sentBytes() >= SENT_ENOUGH && loss < GONE) {
            change(nowNanos, LineCarrier.TCP, told(loss, passed.rttMicros));
            return true;
        }
        return false;
    }

    private static String told(double loss, long rttMicros) {
        return String.format(Locale.ROOT, "%.2f %% lost at %d ms", loss * 100, rttMicros / 1_000);
    }

    private void change(long nowNanos, LineCarrier to, String because) {
        wish = to;
        why = because;
        path.forget();
        notBeforeNanos = nowNanos + DWELL_NANOS;
    }

    /** QUIC is there: the way for UDP is open. */
    void reached() {
        failures = 0;
    }

    /** QUIC could not be had. */
    void failed(long nowNanos, String because) {
        if (wish == LineCarrier.QUIC) {
            change(nowNanos, LineCarrier.TCP, because);
            notBeforeNanos = nowNanos + (DWELL_NANOS << Math.min(failures++, MOST_DOUBLINGS));
        }
    }
}
