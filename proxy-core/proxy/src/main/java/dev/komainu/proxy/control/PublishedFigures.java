package dev.komainu.proxy.control;

import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsFigures;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one metrics page.
 *
 * @param tls null without TLS listeners
 * @param peak null without a disk tier
 */
record PublishedFigures(
        ProxySnapshot snapshot,
        @Nullable TlsFigures tls,
        @Nullable PeakView peak) {

    LoopTally counters() {
        return snapshot.counters();
    }
}
