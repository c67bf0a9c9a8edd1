package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.TcpInfo;

/**
 * An estimate of the rate that the path of one sending connection can carry. Under congestion
 * control that reacts to loss, it is Padhye's equation of round trip, timeout and loss, but no less
 * than the delivery rate, and no less than the congestion window per round trip: the equation
 * describes a long time, and a single loss among the first segments would limit a long response to
 * a few of them. Under BBR the equation is not valid; the estimate is the delivery rate, unless the
 * share limited it.
 *
 * <p>Loss is that of about the last half minute: in each round, the bytes of the former rounds
 * count for a little less.
 */
final class PathEstimate {

    private static final double RETAINED_PER_ROUND = 0.95;

    private final boolean reducesOnLoss;
    private double lost;
    private double sent;
    private long lostBefore;
    private long sentBefore;

    /**
     * Creates an estimate without measurements.
     *
     * @param congestionControl name of the algorithm
     */
    PathEstimate(String congestionControl) {
        this.reducesOnLoss = !congestionControl.startsWith("bbr");
    }

    /**
     * Returns the rate in bytes a second, infinite when no known limit applies. Called once a
     * round.
     *
     * @param limitedByShare whether the connection's share limited it: the delivery rate is then no
     *     measure of the path
     */
    double bytesPerSecond(TcpInfo now, boolean limitedByShare) {
        lost = lost * RETAINED_PER_ROUND + (now.retransmittedBytes() - lostBefore);
        sent = sent * RETAINED_PER_ROUND + (now.sentBytes() - sentBefore);
        lostBefore = now.retransmittedBytes();
        sentBefore = now.sentBytes();
        if (!reducesOnLoss) {
            return limitedByShare ? Double.POSITIVE_INFINITY : now.deliveryRate();
        }
        double loss = sent > 0 ? lost / sent : 0;
        double rtt = Math.max(now.rttSeconds(), 1e-6);
        double measured = Math.max((double) now.deliveryRate(), now.congestionWindowBytes() / rtt);
        return Math.max(measured, PadhyeModel.bytesPerSecond(rtt, now.rtoSeconds(), loss, (double)
                Math.max(1, now.segmentBytes())));
    }
}
