package dev.komainu.central.group;

import dev.komainu.central.indices.WindowTotals;
import org.HdrHistogram.Histogram;

/**
 * Figures of one mirror in one block of seconds.
 *
 * @param requests requests that arrived
 * @param responseMillis median of T_r; {@code NaN} without responses
 * @param responses response times in the median
 * @param transferMillis median of T_d; {@code NaN} without transfers
 * @param transfers transfer times in the median
 * @param failures responses 500 to 599, requests without a response, refusals
 * @param packets packets to clients
 * @param repeats retransmitted packets to clients
 */
record MirrorWindow(
        double requests,
        double responseMillis,
        long responses,
        double transferMillis,
        long transfers,
        double failures,
        double packets,
        double repeats) {

    static MirrorWindow of(WindowTotals totals) {
        return new MirrorWindow(
                totals.requests(),
                median(totals.response()),
                totals.response().getTotalCount(),
                median(totals.transfer()),
                totals.transfer().getTotalCount(),
                totals.failures(),
                totals.packetsDown(),
                totals.repeatsDown());
    }

    private static double median(Histogram histogram) {
        return histogram.getTotalCount() == 0
                ? Double.NaN
                : histogram.getValueAtPercentile(50) / 1_000.0;
    }

    double failureShare() {
        return requests <= 0 ? Double.NaN : Math.min(1, failures / requests);
    }

    double repeatShare() {
        return packets <= 0 ? Double.NaN : Math.min(1, repeats / packets);
    }
}
