package dev.komainu.proxy.control;

import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsFigures;
import dev.komainu.telemetry.metrics.MetricFamily;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.util.List;
import java.util.function.ToLongFunction;

/** The metrics of TLS with clients; a part of {@link MetricsPage}. */
final class TlsMetrics {

    private final PublishedMetrics.Meters<PublishedFigures> meters;

    private TlsMetrics(PublishedMetrics.Meters<PublishedFigures> meters) {
        this.meters = meters;
    }

    static void declare(PublishedMetrics.Meters<PublishedFigures> meters) {
        TlsMetrics page = new TlsMetrics(meters);
        page.handshakes("1.2", "no", c -> c.handshakes - c.handshakes13 - c.resumed12);
        page.handshakes("1.2", "yes", c -> c.resumed12);
        page.handshakes("1.3", "no", c -> c.handshakes13 - c.resumed13);
        page.handshakes("1.3", "yes", c -> c.resumed13);
        page.failures("not-tls", c -> c.handshakesNotTls);
        page.failures("left", c -> c.handshakesLeft);
        page.failures("version", c -> c.handshakesVersion);
        page.failures("suite", c -> c.handshakesSuite);
        page.failures("alert", c -> c.handshakesAlert);
        page.failures("other", TlsMetrics::otherFailures);
        meters.counter(
                "tls_handshake_timeouts",
                "Handshakes aborted by their timeout.",
                f -> f.counters().handshakeTimeouts);
        meters.families(f -> f.tls() == null ? List.of() : certificates(f.tls()));
    }

    private static long otherFailures(LoopTally c) {
        return c.handshakeFailures
                - c.handshakesNotTls
                - c.handshakesLeft
                - c.handshakesVersion
                - c.handshakesSuite
                - c.handshakesAlert;
    }

    private void handshakes(String version, String resumed, ToLongFunction<LoopTally> count) {
        meters.counter(
                "tls_handshakes",
                "Successful handshakes, by version and by session resumption.",
                f -> count.applyAsLong(f.counters()),
                "version",
                version,
                "resumed",
                resumed);
    }

    private void failures(String reason, ToLongFunction<LoopTally> count) {
        meters.counter(
                "tls_handshake_failures",
                "Failed handshakes, by reason.",
                f -> count.applyAsLong(f.counters()),
                "reason",
                reason);
    }

    private static List<MetricFamily> certificates(TlsFigures tls) {
        MetricFamily expiry = MetricFamily.gauge(
                "tls_certificate_expiry_seconds",
                "Expiry of a certificate in force, since the epoch.");
        for (TlsFigures.Certificate certificate : tls.certificates()) {
            expiry.sample(
                    certificate.expiresMillis() / 1e3,
                    "name",
                    certificate.name(),
                    "file",
                    certificate.file());
        }
        return List.of(
                MetricFamily.info(
                        "tls_engine", "The TLS engine: native or jdk.", "engine", tls.engine()),
                expiry,
                MetricFamily.counter(
                                "tls_certificate_reads",
                                "Reads of changed certificate files, by outcome.")
                        .sample(tls.taken(), "outcome", "taken")
                        .sample(tls.refused(), "outcome", "refused"));
    }
}
