package dev.komainu.central.group;

import dev.komainu.central.indices.WindowTotals;

/**
 * Figures of one mirror in one block of seconds.
 *
 * @param requests requests that arrived
 * @param response response times T_r
 * @param transfer transfer times T_d
 * @param failures responses 500 to 599, requests without a response, refusals
 * @param packets packets to clients
 * @param repeats retransmitted packets to clients
 */
record MirrorWindow(
        double requests,
        BlockTimes response,
        BlockTimes transfer,
        double failures,
        double packets,
        double repeats) {

    static MirrorWindow of(WindowTotals totals) {
        return new MirrorWindow(
                totals.requests(),
                new BlockTimes(totals.response()),
                new BlockTimes(totals.transfer()),
                totals.failures(),
                totals.packetsDown(),
                totals.repeatsDown());
    }

    double failureShare() {
        return requests <= 0 ? Double.NaN : Math.min(1, failures / requests);
    }

    double repeatShare() {
        return packets <= 0 ? Double.NaN : Math.min(1, repeats / packets);
    }
}
