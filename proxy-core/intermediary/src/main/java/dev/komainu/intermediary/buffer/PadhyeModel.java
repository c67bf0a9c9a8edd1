package dev.komainu.intermediary.buffer;

/**
 * A model of the rate of a TCP connection that halves its window on loss (Padhye, Firoiu, Towsley,
 * Kurose: "Modeling TCP Throughput", SIGCOMM 1998, equation 30, without the limit of the receiver's
 * window):
 *
 * <pre>
 *                                 MSS
 *   rate = ────────────────────────────────────────────────────
 *          RTT √(2bp/3) + RTO min(1, 3 √(3bp/8)) p (1 + 32 p²)
 * </pre>
 *
 * with <i>p</i> the share of segments lost and <i>b</i> = 2 segments per acknowledgement. It is
 * valid for reno, and roughly for cubic. BBR does not react to loss in this way, and reaches 10 to
 * 100 times this rate at 1 %.
 */
final class PadhyeModel {

    private static final double SEGMENTS_PER_ACK = 2;

    private PadhyeModel() {}

    /**
     * Returns the rate in bytes a second; infinite without loss, where the model has no limit.
     *
     * @param rttSeconds above 0
     * @param loss 0 to 1
     */
    static double bytesPerSecond(
            double rttSeconds, double rtoSeconds, double loss, double segmentBytes) {
        if (loss <= 0) {
            return Double.POSITIVE_INFINITY;
        }
        double p = Math.min(1, loss);
        double recovering = rttSeconds * Math.sqrt(2 * SEGMENTS_PER_ACK * p / 3);
        double timingOut = rtoSeconds
                * Math.min(1, 3 * Math.sqrt(3 * SEGMENTS_PER_ACK * p / 8))
                * p
                * (1 + 32 * p * p);
        return segmentBytes / (recovering + timingOut);
    }
}
