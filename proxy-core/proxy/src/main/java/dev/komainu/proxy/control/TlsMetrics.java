package dev.komainu.proxy.control;

import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsFigures;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** The metrics of TLS with clients; a part of {@link MetricsPage}. */
final class TlsMetrics {

    private final StringBuilder out = new StringBuilder();

    private TlsMetrics() {}

    /**
     * Returns a part of the page.
     *
     * @param tls null without TLS listeners
     */
    static StringBuilder of(LoopTally c, @Nullable TlsFigures tls) {
        TlsMetrics page = new TlsMetrics();
        page.handshakes(c);
        if (tls != null) {
            page.certificates(tls);
        }
        return page.out;
    }

    private void handshakes(LoopTally c) {
        head(
                "handshakes_total",
                "counter",
                "Successful handshakes, by version and by session resumption.");
        long all12 = c.handshakes - c.handshakes13;
        handshakes("1.2", all12 - c.resumed12, c.resumed12);
        handshakes("1.3", c.handshakes13 - c.resumed13, c.resumed13);
        head("handshake_failures_total", "counter", "Failed handshakes, by reason.");
        long knownReasons = c.handshakesNotTls
                + c.handshakesLeft
                + c.handshakesVersion
                + c.handshakesSuite
                + c.handshakesAlert;
        failures("not-tls", c.handshakesNotTls);
        failures("left", c.handshakesLeft);
        failures("version", c.handshakesVersion);
        failures("suite", c.handshakesSuite);
        failures("alert", c.handshakesAlert);
        failures("other", c.handshakeFailures - knownReasons);
        head("handshake_timeouts_total", "counter", "Handshakes aborted by their timeout.");
        sample("handshake_timeouts_total", "", c.handshakeTimeouts);
    }

    private void handshakes(String version, long full, long resumed) {
        sample("handshakes_total", "{version=\"" + version + "\",resumed=\"no\"}", full);
        sample("handshakes_total", "{version=\"" + version + "\",resumed=\"yes\"}", resumed);
    }

    private void failures(String reason, long count) {
        sample("handshake_failures_total", "{reason=\"" + reason + "\"}", count);
    }

    private void certificates(TlsFigures tls) {
        head("engine_info", "gauge", "The TLS engine: native or jdk.");
        sample("engine_info", "{engine=\"" + tls.engine() + "\"}", 1);
        head(
                "certificate_expiry_seconds",
                "gauge",
                "Expiry of a certificate in force, since the epoch.");
        for (TlsFigures.Certificate certificate : tls.certificates()) {
            String labels = "{name=\"" + escaped(certificate.name()) + "\",file=\""
                    + escaped(certificate.file()) + "\"}";
            out.append("komainu_proxy_tls_certificate_expiry_seconds")
                    .append(labels)
                    .append(' ');
            out.append(BigDecimal.valueOf(certificate.expiresMillis(), 3)
                    .stripTrailingZeros()
                    .toPlainString());
            out.append('\n');
        }
        head(
                "certificate_reads_total",
                "counter",
                "Reads of changed certificate files, by outcome.");
        sample("certificate_reads_total", "{outcome=\"taken\"}", tls.taken());
        sample("certificate_reads_total", "{outcome=\"refused\"}", tls.refused());
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private void head(String name, String type, String help) {
        out.append("# HELP komainu_proxy_tls_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        out.append("# TYPE komainu_proxy_tls_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private void sample(String name, String labels, long value) {
        out.append("komainu_proxy_tls_")
                .append(name)
                .append(labels)
                .append(' ')
                .append(value)
                .append('\n');
    }
}
