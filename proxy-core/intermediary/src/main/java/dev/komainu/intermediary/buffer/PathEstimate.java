package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.TcpInfo;

/**
 * How much the path of one sending connection can carry. Under congestion control that answers
 * loss, what Padhye's equation says of its round trip, time-out and loss, no less than what
 * arrived, and no less than its window brings into a round trip: the equation is one of a long
 * time, and a single loss among the first segments would hold a long answer to a few of them. Under
 * BBR what arrived, because the equation does not hold there, unless it was held back.
 *
 * <p>Loss is that of the last half minute or so: each look, the bytes of the former ones count for
 * a little less.
 */
final class PathEstimate {

    private static final double RETAINED_PER_ROUND = 0.95;

    private final boolean reducesOnLoss;
    private double lost;
    private double sent;
    private long lostBefore;
    private long sentBefore;

    /** @param congestionControl its name */
    PathEstimate(String congestionControl) {
        this.reducesOnLoss = !congestionControl.startsWith("bbr");
    }

    /**
     * Bytes a second, infinite when nothing that is known bounds it. Once for each look.
     *
     * @param heldBack whether it was its share that held it back: then what arrived says nothing of
     *     its path
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
        double measured = Math.max(now.deliveryRate(), now.congestionWindowBytes() / rtt);
        return Math.max(
                measured,
                PadhyeModel.bytesPerSecond(
                        rtt, now.rtoSeconds(), loss, Math.max(1, now.segmentBytes())));
    }
}
