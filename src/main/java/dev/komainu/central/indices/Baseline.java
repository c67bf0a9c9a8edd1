package dev.komainu.central.indices;

/**
 * The usual figures of one service, learned while its state is normal; {@code NaN} until there are
 * enough samples.
 *
 * <p>An exponential mean that follows downwards quickly and upwards slowly: a baseline learned in a
 * busy hour is corrected in the next quiet one, and a slow overload does not become the baseline.
 * Immutable.
 *
 * @param responseMillis T_r, median
 * @param transferMillis first to last data packet of a response, median
 * @param originMillis time to the origin's first byte, median (of Komainu's proxies, and of other
 *     proxies whose origin side is watched)
 * @param failureShare usual share of failed requests, at most {@link #MOST_FAILURES}
 * @param processes number of the server's processes
 * @param clientRoundTripMillis round trip of data to the clients, median
 * @param lessons ten-second windows that were learned from
 */
public record Baseline(
        double responseMillis,
        double transferMillis,
        double originMillis,
        double failureShare,
        double processes,
        double clientRoundTripMillis,
        int lessons) {

    /**
     * Windows that must be learned before values are compared with the baseline: thirty seconds of
     * traffic.
     */
    public static final int ENOUGH_LESSONS = 3;

    /**
     * Upper limit of the learned failure share. A server that fails more often is not normal,
     * however long it does so: a slow growth of failures must not become the baseline.
     */
    public static final double MOST_FAILURES = 0.05;

    private static final double UP = 0.02;
    private static final double DOWN = 0.3;

    public static final Baseline UNKNOWN =
            new Baseline(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0);

    public boolean ready() {
        return lessons >= ENOUGH_LESSONS;
    }

    public Baseline learn(
            double response,
            double transfer,
            double origin,
            double failures,
            double running,
            double clientRoundTrip) {
        return new Baseline(
                step(responseMillis, response),
                step(transferMillis, transfer),
                step(originMillis, origin),
                step(failureShare, Math.min(failures, MOST_FAILURES)),
                step(processes, running),
                step(clientRoundTripMillis, clientRoundTrip),
                lessons + 1);
    }

    private double step(double known, double observed) {
        if (Double.isNaN(observed)) {
            return known;
        }
        if (Double.isNaN(known)) {
            return observed;
        }
        double weight =
                lessons < ENOUGH_LESSONS ? 1.0 / (lessons + 1) : observed < known ? DOWN : UP;
        return known + weight * (observed - known);
    }
}
