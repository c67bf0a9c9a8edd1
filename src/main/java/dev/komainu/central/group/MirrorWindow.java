package dev.komainu.central.group;

import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.central.indices.WindowTotals;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one mirror in one block of seconds.
 *
 * @param requests requests that arrived
 * @param response response times T_r
 * @param transfer transfer times T_d
 * @param failures responses 500 to 599, requests without a response, refusals
 * @param packets packets to clients
 * @param repeats retransmitted packets to clients
 * @param troubledShare share of the last judgements in which its state was a saturation or a fault
 * @param limit requests or connections that its settings allow at once; absent: no known limit
 */
record MirrorWindow(
        double requests,
        BlockTimes response,
        BlockTimes transfer,
        double failures,
        double packets,
        double repeats,
        double troubledShare,
        @Nullable Double limit) {

    static MirrorWindow of(WindowTotals totals, double troubledShare, ServerLimits limits) {
        return new MirrorWindow(
                totals.requests(),
                new BlockTimes(totals.response()),
                new BlockTimes(totals.transfer()),
                totals.failures(),
                totals.packetsDown(),
                totals.repeatsDown(),
                troubledShare,
                limits.workers() == null ? limits.connections() : limits.workers());
    }

    double failureShare() {
        return requests <= 0 ? Double.NaN : Math.min(1, failures / requests);
    }

    double repeatShare() {
        return packets <= 0 ? Double.NaN : Math.min(1, repeats / packets);
    }
}
